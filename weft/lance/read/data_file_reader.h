// Reads Lance data files, versions 2.0, 2.1 and 2.2, by ranged reads. Format: docs/formats/lance.md
//
//     WEFT_TRY(const auto file, DataFileReader::open(std::move(object), {.executor = &pool}));
//     WEFT_TRY(const Projection projection, file->project_own({"id", "text"}));
//     WEFT_TRY(const columns::Batch rows, file->read(projection, {0, 1000}));
//
// R1  Only what the asked-for rows of the projected columns need is read: the end of the file, the
//     metadata of those columns, and of their pages the chunks or slots in which the rows stand
//     (and, once per page, what is needed to find them).
// R2  Nothing is allocated for a length that the file claims but within memory_bytes_max and the
//     budget; every offset, size and code is checked; what is damaged is kCorrupt and named.
// R3  What is not known (versions, layouts, encodings, types) is kUnsupported and named.
// R4  The same call gives the same rows, whatever the executor, the coalescing and the cache did.
// Thread-safe. Object, executor and budget must outlive the reader and what it hands out, except
// that batches own their memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/lance/layout/field.h"
#include "weft/lance/layout/file_layout.h"
#include "weft/lance/read/leaf_values.h"
#include "weft/storage/object_store.h"

namespace weft::lance::read {

struct ReadOptions {
  base::Executor* executor = nullptr;    // null: the calling thread
  base::MemoryBudget* budget = nullptr;  // of all that is being read at once; may be null
  // One call of read or take, or one batch of a scan, allocates at most this.
  uint64_t memory_bytes_max = uint64_t{512} << 20U;
  // What is kept of pages between calls (chunk tables, dictionaries): about this much.
  uint64_t kept_bytes_max = uint64_t{64} << 20U;
  // Ranges closer together than this are read as one.
  uint64_t local_gap_bytes = uint64_t{8} << 10U;
  uint64_t remote_gap_bytes = uint64_t{512} << 10U;
  // Of a scan: a batch has at most so many rows, and about so many bytes in the file.
  uint64_t batch_rows_max = 65'536;
  uint64_t batch_bytes_max = uint64_t{16} << 20U;
};

// Rows asked for at once in take(); more are kLimit.
inline constexpr uint64_t kTakeRowsMax = uint64_t{1} << 20U;

// One top-level field: how it is read from this file.
struct ProjectedField {
  columns::Field field;
  // 2.1 and later: the file's column of each leaf; 2.0: of each field, in pre-order. Empty: the
  // file does not have the field, which is null in every row.
  std::vector<uint32_t> columns;
};
struct Projection {
  columns::SchemaPtr schema;
  std::vector<ProjectedField> fields;
};

class Scan;

class DataFileReader {
 public:
  // Reads the end of the file. Errors: kCorrupt, kUnsupported (another version), those of the
  // store.
  static Result<std::unique_ptr<DataFileReader>> open(std::unique_ptr<storage::ObjectReader> object,
                                                      ReadOptions options = {});
  virtual ~DataFileReader() = default;

  virtual layout::FileVersion version() const = 0;
  virtual uint64_t row_count() const = 0;
  virtual uint32_t column_count() const = 0;
  virtual const std::string& name() const = 0;
  virtual uint64_t size_bytes() const = 0;
  // The file's own schema and its metadata.
  virtual const layout::FileDescriptor& descriptor() const = 0;

  // The top-level fields `names` (all, if empty; in the order given) of a table's schema, where
  // this file has the field ids `field_ids` in its columns `column_indices` (a manifest's
  // DataFile). Fields that are not in the file are null. Errors: kNotFound names a field that the
  // schema lacks; kInvalid if the mapping does not fit the file; kUnsupported (types; a struct of
  // which the file has a part only, or nullable never where it is absent).
  virtual Result<Projection> project(const std::vector<layout::SchemaField>& schema,
                                     std::span<const int32_t> field_ids,
                                     std::span<const int32_t> column_indices,
                                     const std::vector<std::string>& names = {}) = 0;
  // The same with the file's own schema.
  virtual Result<Projection> project_own(const std::vector<std::string>& names = {}) = 0;

  // Rows [begin, end) as one batch. Errors: kInvalid if they leave the file; kCorrupt;
  // kUnsupported; kLimit if they do not fit into the memory.
  virtual Result<columns::Batch> read(const Projection& projection, IndexRange rows,
                                      std::stop_token stop = {}) = 0;
  // The rows in the order given, repeats allowed. Errors: as read; kLimit beyond kTakeRowsMax.
  virtual Result<columns::Batch> take(const Projection& projection, std::span<const uint64_t> rows,
                                      std::stop_token stop = {}) = 0;
  // Rows [begin, end) batch by batch. The projection is copied.
  virtual Result<std::unique_ptr<Scan>> scan(const Projection& projection, IndexRange rows) = 0;

  // Reads and decodes everything: every page of every column whose type is known from the file's
  // own schema, each value checked. Errors name what is damaged or not supported.
  virtual Status verify(std::stop_token stop = {}) = 0;
};

// Not thread-safe; the reader must outlive it. Batches ahead of the caller are read on the
// executor's threads.
class Scan {
 public:
  virtual ~Scan() = default;
  // Nothing at the end. After an error only destruction is useful.
  virtual Result<std::optional<columns::Batch>> next(std::stop_token stop = {}) = 0;
};

}  // namespace weft::lance::read
