// Writes one Lance data file, version 2.1 or 2.2, from batches, in bounded memory. What it writes
// every engine since lance 8 reads. Format: docs/formats/lance.md; choice of encodings:
// docs/formats/lance-writing.md.
//
// W1  The file gets its name only by finish(), whole and synced (ObjectWriter::publish); before
//     that, and if anything fails, nothing is left under the name.
// W2  The same rows, field list and options give the same bytes, however the rows were cut into
//     batches and however many threads worked.
// W3  Besides the batch that is being appended, no more memory than the budget grants is used:
//     about memory_bytes_max, and for a value larger than a page three times its size.
// W4  Null elements leave no trace of the bytes that lay under them.
// Not thread-safe; works on the executor's threads inside its calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/lance/layout/field.h"
#include "weft/lance/layout/file_layout.h"
#include "weft/storage/object_store.h"

namespace weft::lance::write {

// A value of a string or binary column has a length of 32 bits in the file.
inline constexpr uint64_t kValueBytesMax = 0xffff'ffff;

struct DataFileOptions {
  layout::FileVersion version = layout::FileVersion::kV21;  // or kV22
  // A page of a column is closed by the row that fills it to this. At most 1 GiB.
  uint64_t page_bytes = uint64_t{8} << 20U;
  // Pages are made smaller for schemas of so many columns that pages of all of them, and those
  // being encoded, would pass this. Reserved from the budget as it is used.
  uint64_t memory_bytes_max = uint64_t{256} << 20U;
  // Longer texts and binary values are kLimit. At most kValueBytesMax.
  uint64_t value_bytes_max = kValueBytesMax;
};

struct DataFileSummary {
  std::string name;
  uint64_t row_count = 0;
  uint64_t size_bytes = 0;
  layout::FileVersion version = layout::FileVersion::kV21;
  // As DataFile in a manifest lists them: the leaves, and the column of the file of each.
  std::vector<int32_t> field_ids;
  std::vector<int32_t> column_indices;
};

class DataFileWriter {
 public:
  // `fields` is the schema in depth-first pre-order, as layout::schema_fields gives it or as a
  // manifest has it (a part of it, whole top-level fields, for files that add columns).
  // `store`, `executor` and `budget` (may be null) must outlive the writer.
  // Errors: kInvalid for options out of range; kUnsupported names a type that Lance files of this
  // version cannot hold (a map in 2.1 and fixed-size lists of anything but fixed-width values
  // among them); those of ObjectStore::create.
  static Result<std::unique_ptr<DataFileWriter>> create(storage::ObjectStore& store,
                                                        const std::string& name,
                                                        std::vector<layout::SchemaField> fields,
                                                        const DataFileOptions& options,
                                                        base::Executor& executor,
                                                        base::MemoryBudget* budget = nullptr);
  // The same into `object`, whose name is `name`.
  static Result<std::unique_ptr<DataFileWriter>> create(
      std::unique_ptr<storage::ObjectWriter> object, const std::string& name,
      std::vector<layout::SchemaField> fields, const DataFileOptions& options,
      base::Executor& executor, base::MemoryBudget* budget = nullptr);
  virtual ~DataFileWriter() = default;

  // The columns of `batch` are the top-level fields in order, of equal types. The batch is not
  // kept. Errors: kInvalid if types differ or a null stands in a field that is not nullable, naming
  // the field (then and after any other error only destruction is useful); kUnsupported for a null
  // inside a nested fixed-size list; kLimit for a value beyond value_bytes_max or the budget; those
  // of ObjectWriter.
  virtual Status append(const columns::Batch& batch) = 0;

  // Bytes of the rows appended so far that are in the file or on their way there: for who wants
  // files of a certain size.
  virtual uint64_t size_so_far() const = 0;
  virtual uint64_t row_count() const = 0;

  // Writes what is left and publishes the file. Errors: kAlreadyExists if the name is taken; those
  // of ObjectWriter::publish.
  virtual Result<DataFileSummary> finish() = 0;
};

}  // namespace weft::lance::write
