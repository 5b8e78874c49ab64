set(SOURCES environment.cc fold_source.cc graph.cc)
set(HEADERS environment.h graph.h live_graph.h)
set(TESTS graph_test.cc)
