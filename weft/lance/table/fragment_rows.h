// The rows of fragments: read across all data files of a fragment, and written as new fragments.
//
// W1  Rows come in the order of the fragment, physical ones: who wants live rows asks deletions().
// W2  A field that no file of the fragment has is null.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/lance/table/deletions.h"
#include "weft/lance/table/snapshot.h"
#include "weft/lance/table/stage.h"
#include "weft/lance/write/data_file_writer.h"

namespace weft::lance {

class FragmentReader {
 public:
  // `names` of top-level fields, all if empty. Snapshot, store and what `options` names must
  // outlive the reader. Errors: kNotFound names a field; kCorrupt: a file is gone or does not fit.
  static Result<FragmentReader> open(const Snapshot& snapshot, const Fragment& fragment,
                                     const std::vector<std::string>& names,
                                     const read::ReadOptions& options);

  uint64_t physical_rows() const { return physical_rows_; }
  const columns::SchemaPtr& schema() const { return schema_; }
  // Reads the deletion file at the first call.
  Result<const Deletions*> deletions();

  // Physical rows [begin, end).
  Result<columns::Batch> read(read::IndexRange rows);
  // Physical offsets, in the order given.
  Result<columns::Batch> take(std::span<const uint64_t> offsets);
  // Live rows [begin, end) of the physical range, and their offsets behind one another.
  Result<columns::Batch> read_live(read::IndexRange rows, std::vector<uint32_t>* offsets = nullptr);

 private:
  struct Source {
    std::unique_ptr<read::DataFileReader> file;
    read::Projection projection;
    std::vector<size_t> positions;  // of its columns in the batch
  };
  FragmentReader(Snapshot snapshot, Fragment fragment)
      : snapshot_(std::move(snapshot)), fragment_(std::move(fragment)) {}
  // Calls read(source) for each file and puts the columns in their places.
  template <typename Read>
  Result<columns::Batch> gather(uint64_t row_count, const Read& read);

  Snapshot snapshot_;
  Fragment fragment_;
  columns::SchemaPtr schema_;
  uint64_t physical_rows_ = 0;
  std::vector<Source> sources_;
  std::unique_ptr<Deletions> deletions_;
};

struct RowWriteOptions {
  base::Executor* executor = nullptr;    // must be given
  base::MemoryBudget* budget = nullptr;  // may be null
  uint64_t file_rows_max = uint64_t{1} << 20U;
};

// Writes rows of some fields into new fragments, one data file each, under names of a stage.
class RowWriter {
 public:
  // `fields` in depth-first pre-order (a manifest's, or new top-level ones of it). All references
  // must outlive the writer.
  RowWriter(Stage& stage, std::vector<layout::SchemaField> fields, const RowWriteOptions& options);
  RowWriter(TableLocation location, std::string file_version, StageOptions names,
            std::vector<layout::SchemaField> fields, const RowWriteOptions& options);

  // The columns are the top-level fields in order. Errors: those of DataFileWriter.
  Status append(const columns::Batch& batch);
  // The fragments, ids 0, in the order of the rows.
  Result<std::vector<Fragment>> finish();

 private:
  Status open();
  Status close();

  TableLocation location_;
  std::string file_version_;
  StageOptions names_;
  std::vector<layout::SchemaField> fields_;
  RowWriteOptions options_;
  std::unique_ptr<write::DataFileWriter> file_;
  std::string path_;
  std::vector<Fragment> fragments_;
};

}  // namespace weft::lance
