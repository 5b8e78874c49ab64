set(SOURCES)
set(HEADERS ids.h quad.h term.h value.h)
set(TESTS)
