set(SOURCES)
set(HEADERS ids.h quad.h term.h)
set(TESTS)
