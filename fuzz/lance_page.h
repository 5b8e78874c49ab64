// What the fuzz targets of Lance pages share. Input: a byte that chooses the column's type, u16
// rows, u16 size of the layout message, the message, then buffers: u32 size and bytes each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/codec/varint.h"
#include "weft/lance/layout/encoding.h"
#include "weft/lance/read/assemble.h"
#include "weft/lance/read/page.h"
#include "weft/lance/read/page_source.h"
#include "weft/storage/memory_store.h"

namespace weft::fuzz {

inline std::vector<columns::TypePtr> page_types() {
  using columns::TypeId;
  const auto simple = [](TypeId id) { return columns::simple_type(id); };
  const columns::TypePtr row = columns::struct_of({{"a", simple(TypeId::kInt64), true, {}}});
  return {simple(TypeId::kInt64),
          simple(TypeId::kInt32),
          simple(TypeId::kBool),
          simple(TypeId::kString),
          simple(TypeId::kLargeString),
          simple(TypeId::kInt8),
          columns::fixed_size_list_of(simple(TypeId::kFloat), 4),
          columns::fixed_size_list_of(simple(TypeId::kFloat), 64),
          columns::list_of(simple(TypeId::kInt32)),
          columns::list_of(simple(TypeId::kString)),
          row,
          columns::list_of(row),
          columns::fixed_binary(16),
          columns::list_of(columns::list_of(simple(TypeId::kInt16))),
          simple(TypeId::kDouble),
          simple(TypeId::kNull),
          columns::fixed_size_list_of(columns::fixed_size_list_of(simple(TypeId::kFloat), 2), 3)};
}

// Reads `rows` of the page; checks what comes out.
inline void read_page(lance::read::Page& page, const lance::read::LeafPath& path,
                      const columns::Field& field, storage::ObjectReader& object,
                      lance::read::IndexRange rows, lance::read::ReadMemory& memory) {
  const auto request = page.request({rows}, memory);
  lance::read::PageRequest* const one = request.get();
  if (!lance::read::fetch(object, std::span(&one, 1), 0, memory, {}).ok()) {
    return;
  }
  std::vector<lance::read::LeafOutput> outputs;
  outputs.emplace_back(path, &memory);
  if (!request->decode(outputs[0]).ok()) {
    return;
  }
  const auto array =
      lance::read::assemble(field, std::span(&path, 1), outputs, rows.size(), memory);
  WEFT_CHECK(!array.ok() || (*array)->check().ok());
}

// `layout_index`: which kind of page this target is about; others are left alone.
inline void fuzz_page(const uint8_t* data, size_t size, size_t layout_index) {
  const ByteView input(reinterpret_cast<const std::byte*>(data), size);
  codec::ByteReaderView reader(input);
  const std::vector<columns::TypePtr> types = page_types();
  const columns::Field field{"f", types[reader.u8() % types.size()], true, {}};
  lance::layout::PageDescription page;
  page.length = reader.u16();
  const uint16_t layout_size = reader.u16();
  page.layout = to_text(reader.bytes(layout_size));
  page.layout_url = lance::layout::kPageLayoutUrl;
  while (reader.ok() && reader.remaining() != 0 && page.buffers.size() < 8) {
    const uint64_t extent = std::min<uint64_t>(reader.u32(), reader.remaining());
    page.buffers.push_back({reader.position(), extent});
    reader.bytes(extent);
  }
  const auto layout = lance::layout::parse_page_layout(as_bytes(page.layout));
  if (!reader.ok() || !layout.ok() || layout->index() != layout_index || page.length == 0) {
    return;
  }
  std::vector<lance::read::LeafPath> paths;
  if (!lance::read::append_leaf_paths(field.type, paths).ok()) {
    return;
  }
  constexpr uint64_t kMemoryBytes = uint64_t{64} << 20U;
  lance::read::ReadMemory kept(nullptr, kMemoryBytes);
  const auto made = lance::read::make_page(paths[0], page, kept);
  if (!made.ok()) {
    return;
  }
  const auto object = storage::read_buffer("fuzz", storage::Buffer::copy_of(input));
  for (const lance::read::IndexRange rows :
       {lance::read::IndexRange{0, page.length},
        lance::read::IndexRange{page.length / 2, page.length / 2 + 1}}) {
    lance::read::ReadMemory memory(nullptr, kMemoryBytes);
    read_page(**made, paths[0], field, *object, rows, memory);
  }
}

}  // namespace weft::fuzz
