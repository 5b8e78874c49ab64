set(SOURCES canonical.cc escapes.cc ids.cc term.cc utf8.cc)
set(HEADERS ids.h quad.h scan.h term.h utf8.h value.h)
set(TESTS term_test.cc)
