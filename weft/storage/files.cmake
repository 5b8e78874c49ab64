set(SOURCES block_cache.cc cached_reader.cc file_calls.cc file_lock.cc local_file.cc local_listing.cc local_store.cc local_tree.cc
            memory_store.cc names.cc object_store.cc pending_file.cc scratch.cc)
set(HEADERS block_cache.h file_calls.h file_lock.h local_file.h local_listing.h local_store.h local_tree.h
            memory_store.h names.h object_store.h pending_file.h scratch.h steps.h testing/scripted_calls.h testing/test_folder.h)
set(TESTS local_file_test.cc local_store_test.cc object_store_test.cc scratch_test.cc)
