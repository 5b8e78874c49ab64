set(SOURCES
  authority.cc create.cc key_lookup.cc load.cc load_check.cc loaded_table.cc row_index.cc snapshot.cc stage_load.cc
  value_text.cc)
set(HEADERS
  authority.h create.h key_lookup.h load.h load_check.h loaded_table.h row_index.h snapshot.h stage_load.h value_text.h)
set(TESTS create_test.cc load_test.cc testing/graph_place.h)
