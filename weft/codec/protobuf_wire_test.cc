#include "weft/codec/protobuf_wire.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace weft::codec {
namespace {

std::vector<WireField> fields_of(const std::string& message, bool& ok) {
  WireReaderView reader(as_bytes(message));
  std::vector<WireField> fields;
  WireField field;
  while (reader.next(field)) {
    fields.push_back(field);
  }
  ok = reader.ok();
  return fields;
}

TEST(ProtobufWire, WritesTheBytesOfTheSpecification) {
  WireWriter writer;
  writer.u64(1, 150);
  writer.bytes(2, "testing");
  writer.packed_u64(6, {3, 270, 86942});
  EXPECT_EQ(writer.str(),
            std::string("\x08\x96\x01\x12\x07testing\x32\x06\x03\x8e\x02\x9e\xa7\x05"));
}

TEST(ProtobufWire, ReadsBackWhatItWrites) {
  WireWriter inner;
  inner.i64(3, -2);
  WireWriter writer;
  writer.u64(1, UINT64_MAX);
  writer.i64(2, -1);
  writer.boolean(3, true);
  writer.real_always(4, 0.00057);
  writer.message(5, inner);
  writer.packed_i32(6, {0, -2, 7});
  writer.packed_u32(7, {UINT32_MAX, 0});
  writer.u64_always(8, 0);
  writer.bytes_always(9, "");
  writer.u64(kWireFieldNumberMax, 1);
  const std::string message = std::move(writer).take();
  bool ok = false;
  const std::vector<WireField> fields = fields_of(message, ok);
  ASSERT_TRUE(ok);
  ASSERT_EQ(fields.size(), 10U);
  uint64_t large = 0;
  EXPECT_TRUE(fields[0].as_u64(large));
  EXPECT_EQ(large, UINT64_MAX);
  int64_t negative = 0;
  EXPECT_TRUE(fields[1].as_i64(negative));
  EXPECT_EQ(negative, -1);
  EXPECT_EQ(fields[1].raw.size(), 11U);
  bool truth = false;
  EXPECT_TRUE(fields[2].as_bool(truth));
  EXPECT_TRUE(truth);
  double real = 0;
  EXPECT_TRUE(fields[3].as_double(real));
  EXPECT_EQ(real, 0.00057);
  EXPECT_EQ(as_text(fields[4].bytes), inner.str());
  std::vector<int32_t> small;
  EXPECT_TRUE(fields[5].append_i32s(small));
  EXPECT_EQ(small, (std::vector<int32_t>{0, -2, 7}));
  std::vector<uint32_t> words;
  EXPECT_TRUE(fields[6].append_u32s(words));
  EXPECT_EQ(words, (std::vector<uint32_t>{UINT32_MAX, 0}));
  EXPECT_EQ(fields[9].number, kWireFieldNumberMax);
  std::string again;
  for (const WireField& field : fields) {
    again.append(as_text(field.raw));
  }
  EXPECT_EQ(again, message);
}

TEST(ProtobufWire, LeavesOutZerosAndEmptyThings) {
  WireWriter writer;
  writer.u64(1, 0);
  writer.i64(1, 0);
  writer.boolean(2, false);
  writer.bytes(3, "");
  writer.packed_u64(4, {});
  EXPECT_TRUE(writer.empty());
}

TEST(ProtobufWire, TakesUnpackedRepeatedIntegers) {
  bool ok = false;
  const std::vector<WireField> fields = fields_of(std::string("\x08\x05\x08\x06"), ok);
  ASSERT_TRUE(ok);
  std::vector<uint64_t> values;
  for (const WireField& field : fields) {
    EXPECT_TRUE(field.append_u64s(values));
  }
  EXPECT_EQ(values, (std::vector<uint64_t>{5, 6}));
}

TEST(ProtobufWire, AnotherWireTypeIsNotTaken) {
  bool ok = false;
  const std::string message = std::string("\x08\x05\x12\x01x\x1d\0\0\0\0", 10);
  const std::vector<WireField> fields = fields_of(message, ok);
  ASSERT_TRUE(ok);
  ASSERT_EQ(fields.size(), 3U);
  std::string text = "kept";
  uint64_t number = 7;
  std::vector<uint64_t> numbers;
  EXPECT_FALSE(fields[0].as_text(text));
  EXPECT_FALSE(fields[1].as_u64(number));
  EXPECT_FALSE(fields[2].append_u64s(numbers));
  EXPECT_EQ(text, "kept");
  EXPECT_EQ(number, 7U);
}

TEST(ProtobufWire, AFieldOfAnotherTypeIsNoEmptyMessage) {
  WireWriter writer;
  writer.u64_always(1, 5);
  writer.fixed64_always(2, 6);
  WireReaderView reader(as_bytes(writer.str()));
  WireField field;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(reader.next(field));
    WireReaderView nested(field.bytes);
    WireField part;
    EXPECT_FALSE(nested.next(part));
    EXPECT_FALSE(nested.ok());
  }
}

TEST(ProtobufWire, EveryDamageIsSeen) {
  const std::vector<std::string> damaged = {
      std::string("\x08"),                                              // a tag alone
      std::string("\x08\x80"),                                          // an unfinished varint
      std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),  // eleven bytes
      std::string("\x12\x05"
                  "four"),                                          // a length beyond the end
      std::string("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),  // a length of 2^64 - 1
      std::string("\x09\0\0\0\0\0\0\0", 8),                         // seven bytes of eight
      std::string("\x0d\0\0\0", 4),                                 // three bytes of four
      std::string("\x0b"),                                          // a group
      std::string("\x0c"),                                          // its end
      std::string("\x0e\x01"),                                      // no wire type
      std::string("\0\x01", 2),                                     // field 0
      std::string("\x80\x80\x80\x80\x10\x01"),                      // field 2^29
  };
  for (size_t i = 0; i < damaged.size(); ++i) {
    bool ok = true;
    EXPECT_TRUE(fields_of(damaged[i], ok).empty()) << i;
    EXPECT_FALSE(ok) << i;
  }
}

TEST(ProtobufWire, EveryCutOfAMessageIsAPrefixOrDamage) {
  WireWriter writer;
  writer.u64(1, 300);
  writer.bytes(2, "abc");
  writer.fixed64_always(3, 9);
  const std::string& message = writer.str();
  const std::vector<size_t> ends = {0, 3, 8, message.size()};
  for (size_t size = 0; size <= message.size(); ++size) {
    bool ok = false;
    (void)fields_of(message.substr(0, size), ok);
    EXPECT_EQ(ok, std::find(ends.begin(), ends.end(), size) != ends.end()) << size;
  }
}

TEST(ProtobufWire, PackedBytesThatEndWithinAValueAreRefused) {
  bool ok = false;
  const std::string message("\x0a\x02\x05\x80", 4);
  const std::vector<WireField> fields = fields_of(message, ok);
  ASSERT_TRUE(ok);
  std::vector<uint64_t> values;
  EXPECT_FALSE(fields[0].append_u64s(values));
}

TEST(ProtobufWire, WhatTheCallerExpectsCounts) {
  const std::string message("\x08\x05\x08\x06", 4);
  WireReaderView reader(as_bytes(message));
  WireField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_TRUE(reader.expect(true));
  EXPECT_FALSE(reader.expect(false));
  EXPECT_FALSE(reader.next(field));
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace weft::codec
