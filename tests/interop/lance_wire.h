// Arrays and schemas over a pipe, between the interop tests (lance_ours.py, the other side) and
// lance_driver. Little-endian. An array is u64 length, u64 offset, then its buffers in Arrow's
// order, each u64 size (all ones: absent) and the bytes, then its children, then its dictionary.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "weft/columns/batch.h"
#include "weft/lance/layout/field.h"

namespace weft::interop {

// One request's words, split at spaces. False at the end of the input.
bool read_line(std::vector<std::string>& words);

// `count` lines "id parent nullable logical_type name(hex)".
std::vector<lance::layout::SchemaField> read_fields(size_t count);

// The same lines.
void write_fields(const std::vector<lance::layout::SchemaField>& fields);

// `count` batches of the columns of `fields`: u64 rows, then the arrays. Reads all of them before
// anything may fail; errors: those of the types.
Result<std::vector<columns::Batch>> read_batches(
    const std::vector<lance::layout::SchemaField>& fields, uint64_t count);

columns::ArrayPtr read_array(const columns::TypePtr& type);
// Copies into an array of its own first: offset 0, nothing before or behind.
void write_array(const columns::ArrayPtr& array);

uint64_t read_u64();
void write_u64(uint64_t value);
std::string from_hex(const std::string& hex);

}  // namespace weft::interop
