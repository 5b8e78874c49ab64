set(SOURCES blake3.cc compression.cc varint.cc)
set(HEADERS blake3.h compression.h varint.h)
set(TESTS codec_test.cc)
