#include "weft/lance/layout/array_encoding.h"

#include "weft/codec/protobuf_wire.h"
#include "weft/lance/layout/encoding.h"

namespace weft::lance::layout {
namespace {

using codec::WireField;
using codec::WireReaderView;

Error damaged() {
  return Error(ErrorKind::kCorrupt, "a page description of version 2.0 is damaged");
}

std::string_view refused_name(uint32_t number) {
  switch (number) {
    case 8:
      return "fsst";
    case 9:
      return "packed_struct";
    case 10:
      return "bitpacked";
    case 11:
      return "fixed_size_binary";
    case 12:
      return "bitpacked_for_non_neg";
    case 13:
      return "constant";
    default:
      return "";
  }
}

class ArrayEncodingParser {
 public:
  Result<ArrayEncoding> parse(ByteView message, size_t depth) {
    if (depth > kEncodingDepthMax) {
      return Error(ErrorKind::kLimit, "encodings are nested too deeply")
          .with("depth_max", kEncodingDepthMax);
    }
    WireReaderView reader(message);
    WireField field;
    ArrayEncoding out;
    bool found = false;
    while (reader.next(field)) {
      if (field.number < 1 || field.number > 7) {
        return Error(ErrorKind::kUnsupported, "an encoding of version 2.0 is not supported")
            .with("number", uint64_t{field.number})
            .with("name", refused_name(field.number));
      }
      ByteView body;
      if (!reader.expect(field.as_bytes(body))) {
        break;
      }
      out = ArrayEncoding();
      out.kind = static_cast<ArrayEncodingKind>(field.number);
      WEFT_TRY_STATUS(parse_body(body, depth, out));
      found = true;
    }
    if (!reader.ok() || !found) {
      return damaged();
    }
    return out;
  }

 private:
  // Children `numbers` of a message, in that order, each once.
  Status children(ByteView message, std::initializer_list<uint32_t> numbers, size_t depth,
                  ArrayEncoding& out) {
    for (const uint32_t number : numbers) {
      WireReaderView reader(message);
      WireField field;
      ByteView body;
      bool found = false;
      while (reader.next(field)) {
        if (field.number == number) {
          found = reader.expect(field.as_bytes(body));
        }
      }
      if (!reader.ok() || !found) {
        return damaged();
      }
      WEFT_TRY(ArrayEncoding child, parse(body, depth + 1));
      out.children.push_back(std::move(child));
    }
    return ok_status();
  }

  static Status number(ByteView message, uint32_t wanted, uint64_t& out) {
    WireReaderView reader(message);
    WireField field;
    while (reader.next(field)) {
      if (field.number == wanted) {
        reader.expect(field.as_u64(out));
      }
    }
    return reader.ok() ? ok_status() : Status(damaged());
  }

  static Status flat(ByteView body, ArrayEncoding& out) {
    WireReaderView reader(body);
    WireField field;
    while (reader.next(field)) {
      ByteView inner;
      if (field.number == 1) {
        reader.expect(field.as_u64(out.number));
      } else if (field.number == 2 && reader.expect(field.as_bytes(inner))) {
        uint64_t buffer_type = 0;
        WEFT_TRY_STATUS(number(inner, 1, out.buffer_index));
        WEFT_TRY_STATUS(number(inner, 2, buffer_type));
        if (buffer_type != 0) {
          return Error(ErrorKind::kUnsupported, "buffers outside of pages are not supported")
              .with("buffer_type", buffer_type);
        }
      } else if (field.number == 3) {
        return Error(ErrorKind::kUnsupported,
                     "compressed buffers of version 2.0 are not supported");
      }
    }
    return reader.ok() ? ok_status() : Status(damaged());
  }

  Status nullable(ByteView body, size_t depth, ArrayEncoding& out) {
    WireReaderView reader(body);
    WireField field;
    bool found = false;
    while (reader.next(field)) {
      ByteView inner;
      if (field.number < 1 || field.number > 3 || !reader.expect(field.as_bytes(inner))) {
        return damaged();
      }
      out.children.clear();
      found = true;
      if (field.number == 1) {
        out.nulls = ArrayEncoding::Nulls::kNone;
        WEFT_TRY_STATUS(children(inner, {1}, depth, out));
      } else if (field.number == 2) {
        out.nulls = ArrayEncoding::Nulls::kSome;
        WEFT_TRY_STATUS(children(inner, {1, 2}, depth, out));
      } else {
        out.nulls = ArrayEncoding::Nulls::kAll;
      }
    }
    return reader.ok() && found ? ok_status() : Status(damaged());
  }

  Status parse_body(ByteView body, size_t depth, ArrayEncoding& out) {
    switch (out.kind) {
      case ArrayEncodingKind::kFlat:
        return flat(body, out);
      case ArrayEncodingKind::kNullable:
        return nullable(body, depth, out);
      case ArrayEncodingKind::kFixedSizeList:
        WEFT_TRY_STATUS(number(body, 1, out.number));
        return children(body, {2}, depth, out);
      case ArrayEncodingKind::kList:
        WEFT_TRY_STATUS(number(body, 2, out.number));
        WEFT_TRY_STATUS(number(body, 3, out.item_count));
        return children(body, {1}, depth, out);
      case ArrayEncodingKind::kStruct:
        return ok_status();
      case ArrayEncodingKind::kBinary:
        WEFT_TRY_STATUS(number(body, 3, out.number));
        return children(body, {1, 2}, depth, out);
      case ArrayEncodingKind::kDictionary:
        WEFT_TRY_STATUS(number(body, 3, out.number));
        return children(body, {1, 2}, depth, out);
    }
    return damaged();
  }
};

}  // namespace

Result<ArrayEncoding> parse_array_encoding(ByteView message) {
  return ArrayEncodingParser().parse(message, 0);
}

}  // namespace weft::lance::layout
