set(SOURCES delimited_writer.cc json_writer.cc result_writer.cc table_writer.cc xml_writer.cc)
set(HEADERS result_writer.h text_sink.h writers.h)
set(TESTS result_writer_test.cc)
