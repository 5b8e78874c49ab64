// Fields of files of version 2.0: a column for every field of the schema, pages of plain buffers.
#include <algorithm>
#include <cstring>
#include <limits>

#include "weft/columns/builder.h"
#include "weft/columns/select.h"
#include "weft/lance/layout/array_encoding.h"
#include "weft/lance/read/block_decoder.h"
#include "weft/lance/read/page_2_0.h"

namespace weft::lance::read {
namespace {

using columns::Array;
using columns::ArrayParts;
using columns::ArrayPtr;
using columns::Buffer;
using columns::TypeId;
using columns::TypePtr;
using layout::ArrayEncoding;
using layout::ArrayEncodingKind;

Error refused(std::string_view what) {
  return Error(ErrorKind::kUnsupported, "an encoding of version 2.0 is not supported here")
      .with("where", what);
}

// The columns of one field, in pre-order.
class FieldReader {
 public:
  FieldReader(FileContent& file,
              std::span<const std::shared_ptr<const layout::ColumnDescription>> columns,
              ReadMemory& memory, std::stop_token stop)
      : file_(file), columns_(columns), memory_(memory), stop_(std::move(stop)) {}

  // `column`: of this field; moved behind its last column.
  Result<ArrayPtr> read(const TypePtr& type, size_t& column, IndexRange rows) {
    if (column >= columns_.size()) {
      return page_damaged("a field has a column for each of its fields");
    }
    const size_t own = column++;
    if (type->id() == TypeId::kStruct) {
      return read_struct(type, column, rows);
    }
    if (columns::is_list_like(type->id())) {
      return read_list(type, own, column, rows);
    }
    std::vector<ArrayPtr> parts;
    WEFT_TRY_STATUS(each_page(own, rows, [&](const PagePart& page) {
      return add(read_leaf_2_0(page, page.encoding, type), parts);
    }));
    return parts.empty() ? Result<ArrayPtr>(columns::null_array(type, 0)) : columns::concat(parts);
  }

 private:
  static Status add(Result<ArrayPtr> part, std::vector<ArrayPtr>& parts) {
    WEFT_TRY(ArrayPtr array, std::move(part));
    parts.push_back(std::move(array));
    return ok_status();
  }

  template <typename Call>
  Status each_page(size_t column, IndexRange rows, const Call& call) {
    uint64_t begin = 0;
    for (const layout::PageDescription& page : columns_[column]->pages) {
      if (page.length > kPageRowsBound - begin) {
        return page_damaged("the pages of a column have a possible number of rows");
      }
      const uint64_t end = begin + page.length;
      const IndexRange inside{std::max(rows.begin, begin), std::min(rows.end, end)};
      if (inside.begin < inside.end) {
        if (stop_.stop_requested()) {
          return Error(ErrorKind::kCancelled, "stopped on request");
        }
        if (page.layout_url != layout::kArrayEncodingUrl) {
          return Error(ErrorKind::kUnsupported, "a page layout is not supported")
              .with("layout", page.layout_url);
        }
        WEFT_TRY(const ArrayEncoding encoding, layout::parse_array_encoding(as_bytes(page.layout)));
        WEFT_TRY_STATUS(call(
            PagePart{file_, page, encoding, {inside.begin - begin, inside.end - begin}, memory_}));
      }
      begin = end;
    }
    return rows.end <= begin ? ok_status()
                             : Status(page_damaged("the pages of a column have all its rows"));
  }

  Result<ArrayPtr> read_struct(const TypePtr& type, size_t& column, IndexRange rows) {
    ArrayParts parts;
    parts.type = type;
    parts.length = rows.size();
    for (const columns::Field& member : type->children()) {
      WEFT_TRY(ArrayPtr child, read(member.type, column, rows));
      parts.children.push_back(std::move(child));
    }
    return Array::make(std::move(parts));
  }

  // The offsets of each page count from its own first item.
  Result<ArrayPtr> read_list(const TypePtr& type, size_t own, size_t& column, IndexRange rows) {
    std::vector<int64_t> offsets = {0};
    std::vector<uint8_t> valid((rows.size() + 7) / 8);
    uint64_t row = 0;
    uint64_t nulls = 0;
    uint64_t first_item = 0;
    uint64_t items = 0;
    bool is_first = true;
    WEFT_TRY(const std::vector<uint64_t> bases, item_bases(own));
    size_t page_index = page_at(own, rows.begin);
    WEFT_TRY_STATUS(memory_.grow(rows.size() * 2 * sizeof(int64_t)));
    WEFT_TRY_STATUS(each_page(own, rows, [&](const PagePart& page) {
      return take_ends(page, [&](const Ends& ends) {
        if (is_first) {
          first_item = bases[page_index] + ends.offsets.front();
          is_first = false;
        } else if (bases[page_index] + ends.offsets.front() != first_item + items) {
          return false;
        }
        for (size_t i = 0; i + 1 < ends.offsets.size(); ++i) {
          items += ends.offsets[i + 1] - ends.offsets[i];
          offsets.push_back(static_cast<int64_t>(items));
          const bool is_valid = ends.validity.empty() || ends.validity.bit(i);
          nulls += is_valid ? 0 : 1;
          valid[row / 8] = static_cast<uint8_t>(valid[row / 8] | (unsigned{is_valid} << (row % 8)));
          ++row;
        }
        ++page_index;
        return true;
      });
    }));
    if (items > kPageRowsBound || first_item > kPageRowsBound) {
      return page_damaged("lists have a possible number of items");
    }
    WEFT_TRY(ArrayPtr child,
             read(type->children()[0].type, column, {first_item, first_item + items}));
    ArrayParts parts;
    parts.type = type;
    parts.length = rows.size();
    parts.children.push_back(std::move(child));
    if (nulls != 0) {
      parts.validity = Buffer::from(std::move(valid));
    }
    if (columns::has_large_offsets(type->id())) {
      parts.offsets = Buffer::from(std::move(offsets));
    } else {
      if (items > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
        return Error(ErrorKind::kLimit, "the lists of one batch have too many items")
            .with("items", items);
      }
      parts.offsets = Buffer::from(std::vector<int32_t>(offsets.begin(), offsets.end()));
    }
    return Array::make(std::move(parts));
  }

  template <typename Take>
  static Status take_ends(const PagePart& page, const Take& take) {
    const ArrayEncoding* list = &page.encoding;
    if (list->kind == ArrayEncodingKind::kNullable && list->nulls == ArrayEncoding::Nulls::kNone) {
      list = &list->children[0];
    }
    if (list->kind != ArrayEncodingKind::kList) {
      return refused("lists");
    }
    WEFT_TRY(const Ends ends, read_ends_2_0(page, list->children[0], list->number));
    if (ends.offsets.back() > list->item_count) {
      return page_damaged("offsets of lists stay inside the items of the page");
    }
    return take(ends) ? ok_status() : Status(page_damaged("offsets of a page count from zero"));
  }

  // How many items stand in the pages before each page of a list column.
  Result<std::vector<uint64_t>> item_bases(size_t column) {
    std::vector<uint64_t> bases;
    uint64_t items = 0;
    for (const layout::PageDescription& page : columns_[column]->pages) {
      bases.push_back(items);
      WEFT_TRY(const ArrayEncoding encoding, layout::parse_array_encoding(as_bytes(page.layout)));
      const ArrayEncoding& list =
          encoding.kind == ArrayEncodingKind::kNullable && !encoding.children.empty()
              ? encoding.children.back()
              : encoding;
      if (list.item_count > kPageRowsBound - items) {
        return page_damaged("lists have a possible number of items");
      }
      items += list.item_count;
    }
    bases.push_back(items);
    return bases;
  }

  size_t page_at(size_t column, uint64_t row) const {
    size_t index = 0;
    uint64_t end = 0;
    for (const layout::PageDescription& page : columns_[column]->pages) {
      end += page.length;
      if (row < end) {
        break;
      }
      ++index;
    }
    return index;
  }

  // More rows or items of a column than this are damage.
  static constexpr uint64_t kPageRowsBound = uint64_t{1} << 48U;

  FileContent& file_;
  std::span<const std::shared_ptr<const layout::ColumnDescription>> columns_;
  ReadMemory& memory_;
  std::stop_token stop_;
};

}  // namespace

Result<ArrayPtr> read_field_2_0(FileContent& file, const ProjectedField& field,
                                std::span<const IndexRange> rows, ReadMemory& memory,
                                std::stop_token stop) {
  WEFT_TRY(const auto described, file.describe(field.columns));
  FieldReader reader(file, described, memory, std::move(stop));
  std::vector<ArrayPtr> parts;
  for (const IndexRange range : rows) {
    size_t column = 0;
    WEFT_TRY(ArrayPtr part, reader.read(field.field.type, column, range));
    if (column != described.size()) {
      return page_damaged("a field has a column for each of its fields");
    }
    parts.push_back(std::move(part));
  }
  return parts.empty() ? Result<ArrayPtr>(columns::null_array(field.field.type, 0))
                       : columns::concat(parts);
}

}  // namespace weft::lance::read
