set(SOURCES branches.cc catalog.cc fork.cc pinned_table.cc records.cc)
set(HEADERS branches.h catalog.h fork.h pinned_table.h records.h)
set(TESTS catalog_test.cc records_test.cc)
