set(SOURCES
  algebra.cc
  clone.cc
  expression.cc
  function_table.cc
  lexer.cc
  traversal.cc)
set(HEADERS algebra.h characters.h expression.h function_table.h lexer.h parser.h traversal.h
  unsupported.h)
set(TESTS)
