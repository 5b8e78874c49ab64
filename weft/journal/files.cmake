set(SOURCES journal.cc journal_writer.cc line.cc repair.cc rewriter.cc)
set(HEADERS journal.h journal_writer.h line.h repair.h rewriter.h)
set(TESTS journal_test.cc journal_writer_test.cc repair_test.cc)
