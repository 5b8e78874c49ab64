set(SOURCES
  canonical.cc
  escapes.cc
  ids.cc
  iri.cc
  number.cc
  order_prefix.cc
  term.cc
  utf8.cc
  value.cc
  value_arithmetic.cc
  value_cast.cc
  value_compare.cc
  value_datatypes.cc
  value_format.cc
  value_parse.cc
  value_time.cc
  value_time_arithmetic.cc)
set(HEADERS ids.h iri.h number.h order_prefix.h quad.h scan.h term.h text_need.h utf8.h value.h value_internal.h)
set(TESTS iri_test.cc order_prefix_test.cc term_test.cc value_test.cc)
