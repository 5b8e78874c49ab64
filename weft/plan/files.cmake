set(SOURCES
    compiler.cc compiler_group.cc estimate.cc explain.cc join_candidates.cc join_group.cc
    join_order.cc plan_nodes.cc planner.cc term_flow.cc)
set(HEADERS
    compiler.h estimate.h join_candidates.h join_group.h join_order.h plan.h plan_nodes.h planner.h
    statistics.h term_flow.h variable_set.h)
set(TESTS)
