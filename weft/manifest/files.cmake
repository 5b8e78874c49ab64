set(SOURCES address.cc document.cc manifest_store.cc)
set(HEADERS address.h document.h manifest_store.h)
set(TESTS address_test.cc document_test.cc manifest_store_test.cc)
