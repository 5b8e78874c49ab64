# One line a file, so that several hands can add theirs.
set(SOURCES
)
set(HEADERS
  layout/encoding.h
  layout/field.h
  layout/file_layout.h
  write/data_file_writer.h
)
set(TESTS
)
