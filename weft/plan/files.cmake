set(SOURCES
    compiler.cc compiler_exists.cc compiler_group.cc estimate.cc exists.cc explain.cc figures.cc fragments.cc graph_fit.cc join_candidates.cc join_group.cc
    join_order.cc path_program.cc plan_nodes.cc planner.cc regex_literals.cc term_flow.cc text_demand.cc)
set(HEADERS
    compiler.h estimate.h exists.h fragments.h join_candidates.h join_group.h join_order.h path_program.h plan.h plan_nodes.h planner.h
    regex_literals.h statistics.h term_flow.h text_demand.h variable_set.h)
set(TESTS)
