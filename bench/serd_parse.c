/* Parses N-Triples with serd and counts statements: the peer of `weft count`, without serdi's output.
   usage: serd_parse FILE */
#include <serd/serd.h>
#include <stdio.h>

static SerdStatus count_statement(void* handle, SerdStatementFlags flags, const SerdNode* graph,
                                  const SerdNode* subject, const SerdNode* predicate,
                                  const SerdNode* object, const SerdNode* datatype,
                                  const SerdNode* language) {
  (void)flags, (void)graph, (void)subject, (void)predicate, (void)object, (void)datatype;
  (void)language;
  ++*(size_t*)handle;
  return SERD_SUCCESS;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  size_t count = 0;
  SerdReader* reader = serd_reader_new(SERD_NTRIPLES, &count, NULL, NULL, NULL, count_statement, NULL);
  FILE* file = fopen(argv[1], "rb");
  SerdStatus status = file ? serd_reader_read_file_handle(reader, file, (const uint8_t*)argv[1]) : SERD_ERR_UNKNOWN;
  printf("%zu\n", count);
  if (file) {
    fclose(file);
  }
  serd_reader_free(reader);
  return status == SERD_SUCCESS ? 0 : 1;
}
