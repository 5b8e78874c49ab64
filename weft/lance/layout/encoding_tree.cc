#include "weft/lance/layout/encoding_tree.h"

#include "weft/codec/protobuf_wire.h"

namespace weft::lance::layout {
namespace {

using codec::WireField;
using codec::WireReaderView;
using codec::WireWriter;

Error damaged(std::string_view what) {
  return Error(ErrorKind::kCorrupt, "a page description is damaged").with("part", what);
}

Error unknown_number(std::string_view what, uint32_t number, std::string_view name = {}) {
  Error error(ErrorKind::kUnsupported, std::string(what) + " is not supported");
  error.add("number", std::to_string(number));
  if (!name.empty()) {
    error.add("name", name);
  }
  return error;
}

// What is known of numbers that are refused.
std::string_view refused_encoding_name(uint32_t number) {
  switch (number) {
    case 12:
      return "packed_struct";
    case 13:
      return "variable_packed_struct";
    case 14:
      return "range";
    case 15:
      return "delta";
    default:
      return "";
  }
}

Result<Encoding> parse_encoding(ByteView message, size_t depth);

// Reads the fields of one kind of encoding. `fields` maps message numbers to what they hold.
class EncodingBody {
 public:
  EncodingBody(Encoding& out, size_t depth) : out_(out), depth_(depth) {}

  Status read(ByteView message) {
    WireReaderView reader(message);
    WireField field;
    while (reader.next(field)) {
      WEFT_TRY(const bool taken, take(field));
      reader.expect(taken);
    }
    return reader.ok() ? ok_status() : Status(damaged(encoding_kind_name(out_.kind)));
  }

 private:
  Result<bool> child(const WireField& field, size_t position) {
    if (field.type != codec::WireType::kBytes) {
      return false;
    }
    if (position > out_.children.size()) {
      return false;  // members come in the order of their numbers
    }
    WEFT_TRY(Encoding value, parse_encoding(field.bytes, depth_ + 1));
    if (position == out_.children.size()) {
      out_.children.push_back(std::move(value));
    } else {
      out_.children[position] = std::move(value);
    }
    return true;
  }

  Result<bool> take_compression(const WireField& field) {
    ByteView message;
    if (!field.as_bytes(message)) {
      return false;
    }
    WireReaderView reader(message);
    WireField part;
    uint64_t scheme = 0;
    while (reader.next(part)) {
      if (part.number == 1) {
        reader.expect(part.as_u64(scheme));
      } else if (part.number == 2) {
        int64_t level = 0;
        reader.expect(part.as_i64(level));
        out_.level = level;
      }
    }
    if (!reader.ok()) {
      return false;
    }
    if (scheme != static_cast<uint64_t>(Scheme::kLz4) &&
        scheme != static_cast<uint64_t>(Scheme::kZstd)) {
      return unknown_number("a compression scheme", static_cast<uint32_t>(scheme));
    }
    out_.scheme = static_cast<Scheme>(scheme);
    return true;
  }

  Result<bool> take(const WireField& field) {
    switch (out_.kind) {
      case EncodingKind::kFlat:
      case EncodingKind::kInlineBitpacking:
        return field.number != 1 || field.as_u64(out_.number);
      case EncodingKind::kConstant:
        return field.number != 1 || field.as_text(out_.bytes);
      case EncodingKind::kVariable:
      case EncodingKind::kByteStreamSplit:
        return field.number == 1 ? child(field, 0) : Result<bool>(true);
      case EncodingKind::kOutOfLineBitpacking:
        if (field.number == 1) {
          return field.as_u64(out_.number);
        }
        return field.number == 3 ? child(field, 0) : Result<bool>(true);
      case EncodingKind::kFsst:
        if (field.number == 1) {
          return field.as_text(out_.bytes);
        }
        return field.number == 2 ? child(field, 0) : Result<bool>(true);
      case EncodingKind::kRunLength:
        return field.number == 1 || field.number == 2 ? child(field, field.number - 1)
                                                      : Result<bool>(true);
      case EncodingKind::kDictionary:
        if (field.number == 3) {
          return field.as_u64(out_.number);
        }
        return field.number < 3 ? child(field, field.number - 1) : Result<bool>(true);
      case EncodingKind::kGeneral:
        if (field.number == 1) {
          return take_compression(field);
        }
        return field.number == 3 ? child(field, 0) : Result<bool>(true);
      case EncodingKind::kFixedSizeList:
        if (field.number == 1) {
          return field.as_u64(out_.number);
        }
        if (field.number == 3) {
          return field.as_bool(out_.has_validity);
        }
        return field.number == 2 ? child(field, 0) : Result<bool>(true);
    }
    return false;
  }

  Encoding& out_;
  size_t depth_;
};

size_t children_of(EncodingKind kind) {
  switch (kind) {
    case EncodingKind::kFlat:
    case EncodingKind::kConstant:
    case EncodingKind::kInlineBitpacking:
      return 0;
    case EncodingKind::kVariable:
    case EncodingKind::kOutOfLineBitpacking:
    case EncodingKind::kFsst:
    case EncodingKind::kByteStreamSplit:
    case EncodingKind::kGeneral:
    case EncodingKind::kFixedSizeList:
      return 1;
    case EncodingKind::kRunLength:
    case EncodingKind::kDictionary:
      return 2;
  }
  return 0;
}

Result<Encoding> parse_encoding(ByteView message, size_t depth) {
  if (depth > kEncodingDepthMax) {
    return Error(ErrorKind::kLimit, "encodings are nested too deeply")
        .with("depth_max", kEncodingDepthMax);
  }
  WireReaderView reader(message);
  WireField field;
  Encoding out;
  bool found = false;
  while (reader.next(field)) {
    if (field.number < 1 || field.number > 11) {
      return unknown_number("an encoding", field.number, refused_encoding_name(field.number));
    }
    ByteView body;
    if (!reader.expect(field.as_bytes(body))) {
      break;
    }
    out = Encoding();
    out.kind = static_cast<EncodingKind>(field.number);
    WEFT_TRY_STATUS(EncodingBody(out, depth).read(body));
    found = true;
  }
  if (!reader.ok() || !found) {
    return damaged("encoding");
  }
  if (out.children.size() != children_of(out.kind)) {
    return damaged(encoding_kind_name(out.kind));
  }
  return out;
}

WireWriter write_encoding(const Encoding& encoding);

WireWriter write_body(const Encoding& encoding) {
  WireWriter body;
  const auto child = [&](uint32_t number, size_t position) {
    body.message(number, write_encoding(encoding.children[position]));
  };
  switch (encoding.kind) {
    case EncodingKind::kFlat:
    case EncodingKind::kInlineBitpacking:
      body.u64(1, encoding.number);
      break;
    case EncodingKind::kConstant:
      body.bytes(1, encoding.bytes);
      break;
    case EncodingKind::kVariable:
    case EncodingKind::kByteStreamSplit:
      child(1, 0);
      break;
    case EncodingKind::kOutOfLineBitpacking:
      body.u64(1, encoding.number);
      child(3, 0);
      break;
    case EncodingKind::kFsst:
      body.bytes(1, encoding.bytes);
      child(2, 0);
      break;
    case EncodingKind::kRunLength:
      child(1, 0);
      child(2, 1);
      break;
    case EncodingKind::kDictionary:
      child(1, 0);
      child(2, 1);
      body.u64(3, encoding.number);
      break;
    case EncodingKind::kGeneral: {
      WireWriter compression;
      compression.u64(1, static_cast<uint64_t>(encoding.scheme));
      if (encoding.level) {
        compression.i64_always(2, *encoding.level);
      }
      body.message(1, compression);
      child(3, 0);
      break;
    }
    case EncodingKind::kFixedSizeList:
      body.u64(1, encoding.number);
      child(2, 0);
      body.boolean(3, encoding.has_validity);
      break;
  }
  return body;
}

WireWriter write_encoding(const Encoding& encoding) {
  WEFT_CHECK(encoding.children.size() == children_of(encoding.kind));
  WireWriter out;
  out.message(static_cast<uint32_t>(encoding.kind), write_body(encoding));
  return out;
}

}  // namespace

Result<Encoding> parse_encoding_tree(ByteView message) {
  return parse_encoding(message, 0);
}

codec::WireWriter write_encoding_tree(const Encoding& encoding) {
  return write_encoding(encoding);
}

}  // namespace weft::lance::layout
