set(SOURCES axioms.cc derived_reads.cc derived_rows.cc entailed_source.cc regime.cc schema.cc)
set(HEADERS axioms.h derived_rows.h entailed_source.h regime.h schema.h)
set(TESTS entailed_source_test.cc)
