set(SOURCES
    blank_scope.cc character_set.cc dataset_source.cc evaluator.cc evaluator_build.cc execution.cc exists_condition.cc functions/date_functions.cc
    functions/hash_functions.cc functions/string_functions.cc functions/term_functions.cc
    graph_result.cc key_table.cc memory_charge.cc operators/accumulator.cc
    operators/bind_join.cc operators/build.cc operators/group.cc operators/group_table.cc operators/hash_join.cc
    operators/index_join.cc operators/join_table.cc operators/merge_join.cc operators/path_join.cc operators/pattern.cc
    operators/row_operators.cc operators/scan.cc operators/service_join.cc operators/sort.cc operators/sorted_rows.cc parallel/gather.cc parallel/group.cc parallel/share.cc
    parallel/sort.cc parallel/team.cc operators/text_scan.cc path_steps.cc path_walker.cc query.cc regex.cc row_batch.cc
    row_store.cc template_reader.cc term_pool.cc text_filter.cc text_condition.cc token_reader.cc union_cursor.cc union_source.cc union_terms.cc
    update.cc value_cache.cc vector_source.cc)
set(HEADERS
    blank_scope.h character_set.h dataset_source.h evaluator.h evaluator_node.h execution.h exists_condition.h functions/functions.h graph_result.h
    interrupt.h key_table.h memory_charge.h operators/accumulator.h operators/group_table.h operators/join_table.h
    operators/operator.h operators/output_map.h operators/pattern.h operators/sorted_rows.h parallel/share.h parallel/team.h operators/text_scan.h path_steps.h path_walker.h quad_source.h query.h regex.h
    row_batch.h row_store.h service_client.h term_pool.h template_reader.h text_filter.h text_condition.h token_reader.h union_cursor.h
    union_source.h union_terms.h update.h value_cache.h vector_source.h)
set(TESTS
    existence_test.cc functions_test.cc key_table_test.cc join_order_test.cc
  limits_test.cc parallel/parallel_test.cc planner_test.cc query_test.cc
    random_query_test.cc service_test.cc path_test.cc term_pool_test.cc text_demand_test.cc text_filter_test.cc testing/query_fixture.cc testing/query_fixture.h
    testing/reference.cc testing/reference.h testing/reference_expression.cc
    testing/reference_pattern.cc testing/skewed_source.h union_source_test.cc update_test.cc vector_source_test.cc)
