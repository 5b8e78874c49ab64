set(SOURCES
  adoption.cc authority.cc branch.cc cleanup.cc create.cc diff.cc export.cc foreign_rows.cc key_index.cc key_lookup.cc key_run.cc lance_version.cc load.cc load_check.cc loaded_table.cc open_graph.cc repair.cc retained.cc row_index.cc snapshot.cc stage_load.cc table_cleanup.cc
  value_index.cc value_text.cc)
set(HEADERS
  adoption.h authority.h branch.h cleanup.h create.h diff.h export.h foreign_rows.h key_index.h key_lookup.h key_run.h lance_version.h load.h load_check.h loaded_table.h open_graph.h repair.h retained.h row_index.h snapshot.h stage_load.h table_cleanup.h value_index.h value_text.h)
set(TESTS branch_test.cc cleanup_test.cc create_test.cc export_test.cc key_index_test.cc lance_version_test.cc load_test.cc repair_test.cc shared_version_test.cc value_index_test.cc testing/graph_place.h)
