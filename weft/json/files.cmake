set(SOURCES parse.cc value.cc write.cc)
set(HEADERS value.h)
set(TESTS json_test.cc)
