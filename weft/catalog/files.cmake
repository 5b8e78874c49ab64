set(SOURCES catalog.cc records.cc)
set(HEADERS catalog.h records.h)
set(TESTS catalog_test.cc records_test.cc)
