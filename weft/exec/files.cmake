set(SOURCES)
set(HEADERS quad_source.h)
set(TESTS)
