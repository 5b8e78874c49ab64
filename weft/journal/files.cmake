set(SOURCES journal.cc line.cc)
set(HEADERS journal.h line.h)
set(TESTS journal_test.cc)
