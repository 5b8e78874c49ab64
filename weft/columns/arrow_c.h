// The Arrow C data interface: how arrays are handed to and taken from other libraries in the same
// process without copying. (The two structs are what that interface prescribes.)
#pragma once

#include <cstdint>

#include "weft/base/result.h"
#include "weft/columns/array.h"
#include "weft/columns/batch.h"

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

// NOLINTBEGIN(readability-identifier-naming): names are part of the interface
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
// NOLINTEND(readability-identifier-naming)

#endif  // ARROW_C_DATA_INTERFACE

}  // extern "C"

namespace weft::columns {

// Exports: the receiver owns what is filled in and calls its release; the buffers live as long as
// any exported array or Array that uses them. Infallible but for memory.
void export_field(const Field& field, ArrowSchema* out);
void export_schema(const Schema& schema, ArrowSchema* out);  // a struct of the fields
void export_array(const ArrayPtr& array, ArrowArray* out);
void export_batch(const Batch& batch, ArrowArray* out);  // a struct array

// Imports. They take the ownership of `schema` / `array` (which are released, also on an error, and
// marked so); array buffers are released when the last Array that uses them is gone, on whatever
// thread that happens. The other side's sizes are trusted for the buffers whose length the
// interface does not state, offsets are checked.
// Errors: kUnsupported names a format that columns do not have; kInvalid a malformed structure;
// kLimit beyond kArrowDepthMax levels of nesting.
Result<Field> import_field(ArrowSchema* schema);
Result<Schema> import_schema(ArrowSchema* schema);
Result<ArrayPtr> import_array(ArrowArray* array, const TypePtr& type);
Result<Batch> import_batch(ArrowArray* array, SchemaPtr schema);

inline constexpr size_t kArrowDepthMax = 64;

}  // namespace weft::columns
