set(SOURCES baton.cc budget.cc check.cc clock.cc error.cc executor.cc process_memory.cc random.cc ulid.cc)
set(HEADERS baton.h budget.h bytes.h check.h clock.h error.h executor.h mutex.h planted.h present.h process_memory.h random.h result.h ulid.h)
set(TESTS baton_test.cc base_test.cc executor_test.cc process_memory_test.cc ulid_test.cc)
