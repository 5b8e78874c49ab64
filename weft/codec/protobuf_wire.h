// The wire form of protocol buffers (proto3), without a schema and without a library: fields are
// read one after another, and each knows its own bytes, so that a program can hand on what it does
// not understand byte for byte.
//
//     WireReaderView reader(message);
//     WireField field;
//     while (reader.next(field)) {
//       switch (field.number) {
//         case 1: name = field.text(); break;
//         case 2: reader.expect(field.as_u64(count)); break;
//         default: unknown.append(as_text(field.raw));     // kept
//       }
//     }
//     if (!reader.ok()) { return damaged(); }              // ask once, at the end
//
// Nothing is allocated for a length that a message claims: bytes are views into the message, and a
// packed list gives at most as many values as it has bytes. Groups (wire types 3 and 4) and the
// unassigned types 6 and 7 are damage. Not recursive: a nested message is read by a reader of its
// own, and whoever nests without end bounds that.
// Source: protobuf.dev, "Encoding".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/codec/varint.h"

namespace weft::codec {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

inline constexpr uint32_t kWireFieldNumberMax = (1U << 29U) - 1;

// One field. Views point into the message that the reader was given.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t scalar = 0;  // of the types kVarint, kFixed64 and kFixed32
  // Of the type kBytes: what follows the length. Of the others: bytes that are no message, so that
  // a field of another type is damage for whoever reads it as a message, and not an empty one.
  ByteView bytes;
  ByteView raw;  // the whole field, with its tag

  // Each gives false, and leaves `value` alone, if the field has another wire type.
  bool as_u64(uint64_t& value) const;
  // The low 32 bits, as every protobuf parser takes them.
  bool as_u32(uint32_t& value) const;
  // Negative numbers are varints of ten bytes.
  bool as_i64(int64_t& value) const;
  bool as_i32(int32_t& value) const;
  bool as_bool(bool& value) const;
  bool as_double(double& value) const;
  bool as_bytes(ByteView& value) const;
  bool as_text(std::string& value) const;
  // Appends the values of a repeated integer: packed (kBytes), or one (kVarint). False also if the
  // packed bytes do not end with a value.
  bool append_u64s(std::vector<uint64_t>& values) const;
  bool append_u32s(std::vector<uint32_t>& values) const;
  bool append_i32s(std::vector<int32_t>& values) const;
};

// Reads a message front to back and never beyond its end. Keeps a view: the bytes must outlive the
// reader and the fields it hands out.
class WireReaderView {
 public:
  explicit WireReaderView(ByteView message)
      : begin_(as_octets(message)), cursor_(begin_), end_(begin_ + message.size()) {}

  // False at the end, and from the first damage on.
  bool next(WireField& field);
  bool ok() const { return ok_; }
  // What was expected of a field did not hold: the message is damaged. Returns `condition`.
  bool expect(bool condition);
  // Where the next field begins, or where the damage is.
  size_t position() const { return static_cast<size_t>(cursor_ - begin_); }

 private:
  const uint8_t* begin_;
  const uint8_t* cursor_;
  const uint8_t* end_;
  bool ok_ = true;
};

// Writes a message into a string. The plain calls leave out zero and empty values, as proto3 does
// for fields without presence; those named `…_always` write them (optional fields that are present,
// members of a oneof). Fields stand in the order of the calls.
class WireWriter {
 public:
  void u64(uint32_t number, uint64_t value);
  void u64_always(uint32_t number, uint64_t value);
  void i64(uint32_t number, int64_t value) { u64(number, static_cast<uint64_t>(value)); }
  void i64_always(uint32_t number, int64_t value) {
    u64_always(number, static_cast<uint64_t>(value));
  }
  void boolean(uint32_t number, bool value) { u64(number, value ? 1 : 0); }
  void fixed64_always(uint32_t number, uint64_t value);
  void real_always(uint32_t number, double value);
  void bytes(uint32_t number, std::string_view value);
  // Also for nested messages and for elements of repeated fields.
  void bytes_always(uint32_t number, std::string_view value);
  void message(uint32_t number, const WireWriter& value) { bytes_always(number, value.out_); }
  void packed_u64(uint32_t number, const std::vector<uint64_t>& values);
  void packed_u32(uint32_t number, const std::vector<uint32_t>& values);
  void packed_i32(uint32_t number, const std::vector<int32_t>& values);
  // Whole fields as they were read.
  void raw(std::string_view fields) { out_.append(fields); }

  const std::string& str() const& { return out_; }
  std::string take() && { return std::move(out_); }
  bool empty() const { return out_.empty(); }

 private:
  void tag(uint32_t number, WireType type);

  std::string out_;
};

}  // namespace weft::codec
