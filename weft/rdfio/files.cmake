set(SOURCES format.cc)
set(HEADERS format.h input.h parse.h write.h)
set(TESTS)
