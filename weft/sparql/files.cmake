set(SOURCES)
set(HEADERS algebra.h expression.h parser.h unsupported.h)
set(TESTS)
