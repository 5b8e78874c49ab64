set(SOURCES)
set(HEADERS http_client.h)
set(TESTS)
