set(SOURCES catalog.cc pinned_table.cc records.cc)
set(HEADERS catalog.h pinned_table.h records.h)
set(TESTS catalog_test.cc records_test.cc)
