set(SOURCES blake3.cc compress_stream.cc compression.cc decompress.cc fsst_decoder.cc fsst_encoder.cc lane_packing.cc lz4.cc protobuf_wire.cc
    stream.cc varint.cc)
set(HEADERS blake3.h compress_stream.h compression.h decompress.h fsst_decoder.h fsst_encoder.h lane_packing.h lz4.h protobuf_wire.h stream.h
    varint.h)
set(TESTS codec_test.cc compress_stream_test.cc decompress_test.cc fsst_decoder_test.cc fsst_encoder_test.cc lane_packing_test.cc lz4_test.cc
    protobuf_wire_test.cc)
