// How the process keeps memory that was freed. For main() of programs that read or write tables:
// batches of some hundred KiB to some MiB come and go, and by default the C library gives such
// blocks back to the system at once, so that each batch pays for fresh pages (measured: a scan of 5
// million doubles takes 40 ms so, 7 ms if freed memory is kept).
#pragma once

namespace weft::base {

// Freed blocks of up to 32 MiB stay with the process, at most about 64 MiB in each thread's arena.
// Once, before threads start. Does nothing where the C library is not glibc.
void keep_freed_memory();

}  // namespace weft::base
