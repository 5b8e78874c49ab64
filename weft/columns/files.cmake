set(SOURCES
  array.cc
  arrow_export.cc
  arrow_import.cc
  batch.cc
  buffer.cc
  builder.cc
  equal.cc
  select.cc
  text.cc
  type.cc
)
set(HEADERS array.h arrow_c.h batch.h buffer.h builder.h select.h type.h)
set(TESTS array_test.cc arrow_c_test.cc select_test.cc)
