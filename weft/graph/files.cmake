set(SOURCES authority.cc create.cc snapshot.cc)
set(HEADERS authority.h create.h snapshot.h)
set(TESTS create_test.cc testing/graph_place.h)
