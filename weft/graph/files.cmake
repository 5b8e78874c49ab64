set(SOURCES
  authority.cc branch.cc create.cc diff.cc export.cc key_index.cc key_lookup.cc key_run.cc load.cc load_check.cc loaded_table.cc row_index.cc snapshot.cc stage_load.cc
  value_text.cc)
set(HEADERS
  authority.h branch.h create.h diff.h export.h key_index.h key_lookup.h key_run.h load.h load_check.h loaded_table.h row_index.h snapshot.h stage_load.h value_text.h)
set(TESTS branch_test.cc create_test.cc export_test.cc key_index_test.cc load_test.cc testing/graph_place.h)
