set(SOURCES dump.cc environment.cc fold_source.cc graph.cc)
set(HEADERS dump.h environment.h graph.h)
set(TESTS)
