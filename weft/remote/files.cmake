set(SOURCES content_range.cc curl_library.cc http_client.cc http_reader.cc http_store.cc transfer.cc transfers.cc)
set(HEADERS content_range.h curl_library.h http_client.h http_reader.h transfer.h transfers.h)
set(TESTS http_client_test.cc testing/test_server.cc testing/test_server.h)
