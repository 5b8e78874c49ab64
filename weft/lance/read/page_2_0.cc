#include "weft/lance/read/page_2_0.h"

#include <cstring>
#include <limits>

#include "weft/columns/builder.h"
#include "weft/columns/select.h"
#include "weft/lance/read/block_decoder.h"

namespace weft::lance::read {
namespace {

using columns::Array;
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

// Some rows of one page.
class PageRows {
 public:
  PageRows(FileContent& file, const layout::PageDescription& page, IndexRange rows,
           ReadMemory& memory)
      : file_(file), page_(page), rows_(rows), memory_(memory) {}

  // A field without children.
  Result<ArrayPtr> leaf(const ArrayEncoding& encoding, const TypePtr& type) {
    if (encoding.kind == ArrayEncodingKind::kNullable &&
        encoding.nulls == ArrayEncoding::Nulls::kAll) {
      WEFT_TRY_STATUS(memory_.grow(rows_.size() * 8));
      return columns::null_array(type, rows_.size());
    }
    if (type->id() == TypeId::kDictionary) {
      return arrow_dictionary(encoding, type);
    }
    if (encoding.kind == ArrayEncodingKind::kDictionary) {
      return page_dictionary(encoding, type);
    }
    if (columns::is_binary_like(type->id())) {
      return text(encoding, type);
    }
    WEFT_TRY(const LeafShape shape, LeafShape::of(*type));
    return fixed(encoding, type, shape);
  }

  // Offsets of lists (and of text), [rows.begin, rows.end].
  Result<Ends> ends(const ArrayEncoding& offsets, uint64_t null_adjustment) {
    const uint64_t first = rows_.begin == 0 ? 0 : rows_.begin - 1;
    WEFT_TRY(const std::vector<uint64_t> raw, integers(offsets, {first, rows_.end}, 64));
    Ends out;
    std::vector<uint8_t> validity((rows_.size() + 7) / 8);
    uint64_t nulls = 0;
    uint64_t before = 0;
    if (rows_.begin != 0) {
      before = raw[0] >= null_adjustment ? raw[0] - null_adjustment : raw[0];
    }
    out.offsets.push_back(before);
    for (uint64_t i = 0; i < rows_.size(); ++i) {
      uint64_t end = raw[i + rows_.begin - first];
      const bool is_null = end >= null_adjustment;
      end -= is_null ? null_adjustment : 0;
      nulls += is_null ? 1 : 0;
      validity[i / 8] = static_cast<uint8_t>(validity[i / 8] | (unsigned{!is_null} << (i % 8)));
      if (end < before) {
        return page_damaged("offsets ascend");
      }
      out.offsets.push_back(end);
      before = end;
    }
    if (nulls != 0) {
      out.validity = Buffer::from(std::move(validity));
    }
    return out;
  }

 private:
  // The bytes of bits [begin, end) of a flat buffer, from the byte in which `begin` lies.
  Result<storage::Buffer> bits(const ArrayEncoding& flat, uint64_t begin, uint64_t end) {
    if (flat.kind != ArrayEncodingKind::kFlat) {
      return refused("values");
    }
    if (flat.buffer_index >= page_.buffers.size()) {
      return page_damaged("a page has the buffers of its encodings");
    }
    const layout::Extent& extent = page_.buffers[flat.buffer_index];
    const uint64_t last = end / 8 + (end % 8 != 0 ? 1 : 0);
    if (begin > end || last > extent.size) {
      return page_damaged("what a page points at lies inside its buffer");
    }
    WEFT_TRY_STATUS(memory_.grow(last - begin / 8));
    return file_.object().read({extent.position + begin / 8, last - begin / 8});
  }

  static const ArrayEncoding* without_nulls(const ArrayEncoding& encoding) {
    if (encoding.kind != ArrayEncodingKind::kNullable) {
      return &encoding;
    }
    return encoding.nulls == ArrayEncoding::Nulls::kNone ? &encoding.children[0] : nullptr;
  }

  Result<std::vector<uint64_t>> integers(const ArrayEncoding& encoding, IndexRange range,
                                         uint64_t bits_max) {
    const ArrayEncoding* const flat = without_nulls(encoding);
    if (flat == nullptr || flat->kind != ArrayEncodingKind::kFlat || flat->number % 8 != 0 ||
        flat->number < 8 || flat->number > bits_max ||
        range.end > std::numeric_limits<uint64_t>::max() / 64) {
      return refused("offsets or indices");
    }
    WEFT_TRY(const storage::Buffer bytes,
             bits(*flat, range.begin * flat->number, range.end * flat->number));
    WEFT_TRY_STATUS(memory_.grow(range.size() * sizeof(uint64_t)));
    const size_t width = flat->number / 8;
    std::vector<uint64_t> out(range.size());
    for (size_t i = 0; i < out.size(); ++i) {
      std::memcpy(&out[i], bytes.view().data() + i * width, width);
    }
    return out;
  }

  // Validity of `range` of values, and the encoding of the values; a null encoding: all are null.
  Result<Buffer> validity(const ArrayEncoding& encoding, IndexRange range,
                          const ArrayEncoding*& values) {
    values = &encoding;
    if (encoding.kind != ArrayEncodingKind::kNullable) {
      return Buffer();
    }
    if (encoding.nulls == ArrayEncoding::Nulls::kAll) {
      values = nullptr;
      return Buffer();
    }
    values = &encoding.children.back();
    if (encoding.nulls == ArrayEncoding::Nulls::kNone) {
      return Buffer();
    }
    const ArrayEncoding& flags = encoding.children[0];
    if (flags.kind != ArrayEncodingKind::kFlat || flags.number != 1) {
      return refused("validity");
    }
    WEFT_TRY(const storage::Buffer bytes, bits(flags, range.begin, range.end));
    GrowingBytes out(&memory_);
    WEFT_TRY_STATUS(append_bit_run(out, 0, bytes.view(), range.begin % 8, range.size()));
    return out.finish();
  }

  Result<ArrayPtr> fixed(const ArrayEncoding& encoding, const TypePtr& type,
                         const LeafShape& shape) {
    const ArrayEncoding* values = nullptr;
    WEFT_TRY(Buffer valid, validity(encoding, rows_, values));
    LeafValues out(shape, &memory_);
    std::vector<Buffer> of_levels;
    uint64_t items = 1;
    while (values != nullptr && values->kind == ArrayEncodingKind::kFixedSizeList) {
      if (of_levels.size() == shape.level_items.size() || values->number == 0 ||
          values->number > shape.bits / items ||
          values->number * items != shape.level_items[of_levels.size()] ||
          rows_.end > std::numeric_limits<uint64_t>::max() / shape.bits) {
        return page_damaged("fixed-size lists have the items of their type");
      }
      items *= values->number;
      const IndexRange range{rows_.begin * items, rows_.end * items};
      const ArrayEncoding* inner = nullptr;
      WEFT_TRY(Buffer of_items, validity(values->children[0], range, inner));
      if (inner == nullptr) {  // all of them are null
        GrowingBytes none(&memory_);
        WEFT_TRY_STATUS(none.append_zeros((range.size() + 7) / 8));
        of_items = none.finish();
      }
      of_levels.push_back(std::move(of_items));
      values = inner;
    }
    if (values == nullptr) {
      WEFT_TRY_STATUS(out.append_blanks(rows_.size()));
      WEFT_TRY_STATUS(append_levels(of_levels, out));
      return out.finish(type, std::move(valid));
    }
    if (values->kind != ArrayEncodingKind::kFlat || values->number == 0 ||
        values->number > shape.bits || values->number * items != shape.bits) {
      return refused("values of this type");
    }
    if (rows_.end > std::numeric_limits<uint64_t>::max() / shape.bits) {
      return page_damaged("the number of values of a page is possible");
    }
    const uint64_t first_bit = rows_.begin * shape.bits;
    WEFT_TRY(const storage::Buffer bytes, bits(*values, first_bit, rows_.end * shape.bits));
    if (shape.kind == LeafShape::Kind::kBits) {
      WEFT_TRY_STATUS(out.append_bits(bytes.view(), first_bit % 8, rows_.size()));
    } else {
      WEFT_TRY_STATUS(out.append_fixed(bytes.view()));
    }
    WEFT_TRY_STATUS(append_levels(of_levels, out));
    return out.finish(type, std::move(valid));
  }

  // Validity of the items of fixed-size lists, level by level; empty where none is null.
  Status append_levels(const std::vector<Buffer>& of_levels, LeafValues& out) const {
    const IndexRange all{0, rows_.size()};
    for (size_t level = 0; level < of_levels.size(); ++level) {
      if (!of_levels[level].empty()) {
        WEFT_TRY_STATUS(out.append_item_validity_ranges(level, of_levels[level].view(),
                                                        std::span(&all, 1), rows_.size()));
      }
    }
    return ok_status();
  }

  Result<ArrayPtr> text(const ArrayEncoding& encoding, const TypePtr& type) {
    const ArrayEncoding* const binary = without_nulls(encoding);
    if (binary == nullptr || binary->kind != ArrayEncodingKind::kBinary) {
      return refused("text");
    }
    WEFT_TRY(Ends found, ends(binary->children[0], binary->number));
    const ArrayEncoding* const flat = without_nulls(binary->children[1]);
    if (flat == nullptr || flat->number != 8) {
      return refused("bytes of text");
    }
    const uint64_t first = found.offsets.front();
    const uint64_t last = found.offsets.back();
    if (last > std::numeric_limits<uint64_t>::max() / 8) {
      return page_damaged("offsets are possible");
    }
    WEFT_TRY(const storage::Buffer bytes, bits(*flat, first * 8, last * 8));
    LeafValues out(LeafShape::text(columns::has_large_offsets(type->id())), &memory_);
    WEFT_TRY_STATUS(out.append_text_run<uint64_t>(
        bytes.view(), reinterpret_cast<const std::byte*>(found.offsets.data() + 1), rows_.size(),
        first));
    return out.finish(type, std::move(found.validity));
  }

  Result<ArrayPtr> items_of(const ArrayEncoding& dictionary, const TypePtr& type) {
    if (dictionary.number > file_.object().size()) {
      return page_damaged("a dictionary is no longer than its file");
    }
    PageRows items(file_, page_, {0, dictionary.number}, memory_);
    return items.leaf(dictionary.children[1], type);
  }

  // Index 0 is null, index i is item i - 1.
  Result<ArrayPtr> page_dictionary(const ArrayEncoding& encoding, const TypePtr& type) {
    WEFT_TRY(const ArrayPtr items, items_of(encoding, type));
    WEFT_TRY(const std::vector<uint64_t> indices, integers(encoding.children[0], rows_, 64));
    columns::ArrayBuilder builder(type);
    for (const uint64_t index : indices) {
      if (index > items->length()) {
        return page_damaged("indices stay inside the dictionary");
      }
      if (index == 0) {
        builder.append_null();
        continue;
      }
      WEFT_TRY_STATUS(append(*items, index - 1, builder));
    }
    return builder.finish();
  }

  // Of a column whose type is a dictionary: index i is item i, which may be null.
  Result<ArrayPtr> arrow_dictionary(const ArrayEncoding& encoding, const TypePtr& type) {
    const ArrayEncoding* values = nullptr;
    WEFT_TRY(const Buffer valid, validity(encoding, rows_, values));
    if (values == nullptr || values->kind != ArrayEncodingKind::kDictionary) {
      return refused("a dictionary column");
    }
    WEFT_TRY(const ArrayPtr items, items_of(*values, type->value_type()));
    WEFT_TRY(const std::vector<uint64_t> indices, integers(values->children[0], rows_, 64));
    columns::ArrayBuilder builder(type->value_type());
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] >= items->length()) {
        return page_damaged("indices stay inside the dictionary");
      }
      if (!valid.empty() && !valid.bit(i)) {
        builder.append_null();
        continue;
      }
      WEFT_TRY_STATUS(append(*items, indices[i], builder));
    }
    return columns::dictionary_encode(builder.finish(), type);
  }

  Status append(const Array& items, uint64_t index, columns::ArrayBuilder& builder) {
    uint64_t size = columns::bit_width(*items.type()) / 8 + 8;
    if (columns::is_binary_like(items.id())) {
      size += items.text(index).size();
      if (!builder.text_fits(items.text(index).size())) {
        return Error(ErrorKind::kLimit, "the text of one batch is too long");
      }
    }
    WEFT_TRY_STATUS(memory_.grow(size));
    builder.append_from(items, index);
    return ok_status();
  }

  FileContent& file_;
  const layout::PageDescription& page_;
  IndexRange rows_;
  ReadMemory& memory_;
};

}  // namespace

Result<ArrayPtr> read_leaf_2_0(const PagePart& part, const ArrayEncoding& encoding,
                               const TypePtr& type) {
  return PageRows(part.file, part.page, part.rows, part.memory).leaf(encoding, type);
}

Result<Ends> read_ends_2_0(const PagePart& part, const ArrayEncoding& offsets,
                           uint64_t null_adjustment) {
  return PageRows(part.file, part.page, part.rows, part.memory).ends(offsets, null_adjustment);
}

}  // namespace weft::lance::read
