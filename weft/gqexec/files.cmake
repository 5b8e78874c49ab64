set(SOURCES adjacency.cc aggregate.cc answer_text.cc column.cc constants.cc expand.cc graph_data.cc grouped_output.cc key_index.cc memory_tables.cc mutation.cc mutation_image.cc
    negation.cc operand.cc output.cc parameters.cc plan_order.cc planner.cc reach.cc row_finder.cc rows.cc run.cc scan.cc snapshot_tables.cc sorted_output.cc)
set(HEADERS adjacency.h aggregate.h answer_text.h column.h constants.h graph_data.h graph_tables.h key_index.h memory_tables.h mutation.h mutation_image.h operand.h output.h
    parameters.h plan.h planner.h reach.h row_finder.h rows.h run.h snapshot_tables.h)
set(TESTS authority_test.cc golden_answer_test.cc mutation_test.cc parameters_test.cc reach_test.cc run_test.cc testing/graph_in_memory.h)
