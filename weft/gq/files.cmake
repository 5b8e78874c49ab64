set(SOURCES ast.cc check.cc check_expression.cc check_match.cc check_mutation.cc check_return.cc check_values.cc lint.cc
    parse_expression.cc parse_mutation.cc parse_read.cc parser.cc)
set(HEADERS ast.h check.h checker.h lint.h parser.h)
set(TESTS golden_query_test.cc gq_test.cc)
