set(SOURCES branches.cc catalog.cc fork.cc known_state.cc pinned_table.cc records.cc)
set(HEADERS branches.h catalog.h fork.h known_state.h pinned_table.h records.h)
set(TESTS catalog_test.cc known_state_test.cc records_test.cc)
