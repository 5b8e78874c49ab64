set(SOURCES canonical.cc escapes.cc ids.cc iri.cc term.cc utf8.cc)
set(HEADERS ids.h iri.h quad.h scan.h term.h utf8.h value.h)
set(TESTS iri_test.cc term_test.cc)
