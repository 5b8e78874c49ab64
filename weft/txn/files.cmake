set(SOURCES write.cc)
set(HEADERS write.h)
set(TESTS testing/graph_fixture.h write_test.cc)
