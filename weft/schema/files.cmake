set(SOURCES accepted.cc canonical.cc check_annotations.cc check_constraints.cc checker.cc moment.cc number.cc parse_property.cc parser.cc
    pattern.cc problem.cc property_type.cc scanner.cc schema.cc)
set(HEADERS accepted.h checker.h declaration.h moment.h number.h parser.h pattern.h problem.h property_type.h scanner.h schema.h)
set(TESTS accepted_test.cc golden_schema_test.cc moment_test.cc schema_test.cc testing/golden_cases.h)
