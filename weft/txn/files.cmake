set(SOURCES capture.cc group_attempt.cc group_write.cc head.cc turn.cc write.cc write_queue.cc write_steps.cc)
set(HEADERS capture.h group_attempt.h group_write.h head.h turn.h write.h write_queue.h write_steps.h)
set(TESTS testing/graph_fixture.h branch_test.cc head_test.cc turn_test.cc unsynced_test.cc write_queue_test.cc write_test.cc)
