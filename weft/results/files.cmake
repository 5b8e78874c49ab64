set(SOURCES delimited_writer.cc json_writer.cc read_answer.cc read_xml_answer.cc result_writer.cc table_writer.cc xml_writer.cc)
set(HEADERS read_answer.h result_writer.h text_sink.h writers.h)
set(TESTS read_answer_test.cc read_xml_answer_test.cc result_writer_test.cc)
