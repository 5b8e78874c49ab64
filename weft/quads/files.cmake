set(SOURCES)
set(HEADERS fold.h segments.h)
set(TESTS)
