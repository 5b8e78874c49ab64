// What the fuzz targets of Lance data files share: opens the bytes and decodes everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/lance/read/data_file_reader.h"
#include "weft/storage/memory_store.h"

namespace weft::fuzz {

// Whatever the bytes are: an error, or arrays that keep their rules; never more memory than said.
inline void read_lance_file(const uint8_t* data, size_t size) {
  constexpr uint64_t kMemoryBytes = uint64_t{64} << 20U;
  base::MemoryBudget budget("fuzz", 2 * kMemoryBytes);
  lance::read::ReadOptions options;
  options.memory_bytes_max = kMemoryBytes;
  options.budget = &budget;
  options.batch_rows_max = 4096;
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto reader = lance::read::DataFileReader::open(
      storage::read_buffer("fuzz", storage::Buffer::copy_of(bytes)), options);
  if (!reader.ok()) {
    return;
  }
  // A file may claim rows without a byte for any of them (null columns): look at some.
  constexpr uint64_t kRowsMax = 50'000;
  const uint64_t rows = (*reader)->row_count() < kRowsMax ? (*reader)->row_count() : kRowsMax;
  const auto all = (*reader)->project_own();
  if (!all.ok()) {
    return;
  }
  const auto check = [](const Result<columns::Batch>& batch) {
    if (batch.ok()) {
      for (const columns::ArrayPtr& column : batch->columns()) {
        WEFT_CHECK(column->check().ok());
      }
    }
  };
  check((*reader)->read(*all, {0, rows}));
  if (rows > 3) {
    const std::vector<uint64_t> some = {rows - 1, 0, rows / 2, 0};
    check((*reader)->take(*all, some));
  }
}

}  // namespace weft::fuzz
