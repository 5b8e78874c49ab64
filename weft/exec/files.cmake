set(SOURCES key_table.cc memory_charge.cc row_batch.cc term_pool.cc vector_source.cc)
set(HEADERS interrupt.h key_table.h memory_charge.h quad_source.h query.h row_batch.h term_pool.h
    vector_source.h)
set(TESTS key_table_test.cc term_pool_test.cc vector_source_test.cc)
