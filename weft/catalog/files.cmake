set(SOURCES branches.cc catalog.cc fork.cc fragments.cc history.cc known_state.cc pinned_table.cc publication.cc
    records.cc)
set(HEADERS branches.h catalog.h fork.h fragments.h known_state.h pinned_table.h records.h)
set(TESTS catalog_test.cc known_state_test.cc records_test.cc)
