set(SOURCES)
set(HEADERS array.h arrow_c.h batch.h buffer.h builder.h select.h type.h)
set(TESTS)
