set(SOURCES)
set(HEADERS object_store.h)
set(TESTS)
