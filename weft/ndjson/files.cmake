set(SOURCES digest_map.cc json_reader.cc load_reader.cc table_columns.cc type_intake.cc value_reader.cc violations.cc)
set(HEADERS digest_map.h json_reader.h load_reader.h table_columns.h type_intake.h value_reader.h violations.h)
set(TESTS golden_load_test.cc ndjson_test.cc)
