set(SOURCES access_log.cc answer_stream.cc body_store.cc fetched_documents.cc field_values.cc graph_store.cc
    http_connection.cc http_message.cc http_server.cc metrics.cc multipart.cc net_exchange.cc outward.cc serve.cc service.cc
    service_admin.cc service_description.cc service_formats.cc service_query.cc snapshot_image.cc
    sparql_protocol.cc tokens.cc unnamed_file.cc worker_pool.cc)
set(HEADERS access_log.h answer_stream.h body_store.h exchange.h fetched_documents.h field_values.h http_connection.h
    http_message.h http_server.h metrics.h multipart.h outward.h query_page.h serve.h service.h service_parts.h
    sparql_protocol.h tokens.h unnamed_file.h worker_pool.h)
set(TESTS field_values_test.cc http_server_test.cc worker_pool_test.cc)
