set(SOURCES)
set(HEADERS statistics.h)
set(TESTS)
