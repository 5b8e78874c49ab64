set(SOURCES capture.cc head.cc write.cc)
set(HEADERS capture.h head.h write.h)
set(TESTS testing/graph_fixture.h branch_test.cc head_test.cc write_test.cc)
