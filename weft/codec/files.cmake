set(SOURCES blake3.cc compression.cc decompress.cc lz4.cc protobuf_wire.cc stream.cc varint.cc)
set(HEADERS blake3.h compression.h decompress.h lz4.h protobuf_wire.h stream.h varint.h)
set(TESTS codec_test.cc decompress_test.cc lz4_test.cc protobuf_wire_test.cc)
