// One fragment of a table, open: its rows across its data files, and which of them are deleted.
//
// F1  Rows come in the order of the fragment. read() and take() give physical ones, read_live()
// those
//     that are not deleted.
// F2  A field that no data file of the fragment has is null.
// F3  Data files are opened when they are first needed, the deletion file is read once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/columns/batch.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/lance/table/deletions.h"
#include "weft/lance/table/snapshot.h"

namespace weft::lance {

// The top-level columns `names` of a table, in that order; all if empty. Errors: kNotFound names
// the column; kUnsupported names a type that cannot be read.
Result<columns::SchemaPtr> columns_of(const Snapshot& snapshot,
                                      const std::vector<std::string>& names);

// How the columns asked for are spread over the files of a fragment.
struct FragmentProjection {
  struct Part {
    read::DataFileReader* file = nullptr;  // null: no file has them
    read::Projection projection;
    std::vector<size_t> columns;  // where its columns stand in the answer
  };
  columns::SchemaPtr schema;
  std::vector<Part> parts;
};

// Rows that are not deleted, and where they stand: row i at the offset offsets[i] of the fragment.
struct LiveRows {
  columns::Batch batch;
  std::vector<uint32_t> offsets;  // ascending
};

// Thread-safe. What it was given must outlive it. Errors: kCorrupt names a data file that is gone
// or does not fit, or the deletion file; those of reading.
class FragmentReader {
 public:
  FragmentReader(const Snapshot& snapshot, const Fragment& fragment,
                 const read::ReadOptions& options)
      : snapshot_(snapshot), fragment_(fragment), options_(options) {}

  const Fragment& fragment() const { return fragment_; }
  // Null: nothing is deleted.
  Result<const Deletions*> deletions();
  Result<read::DataFileReader*> file(size_t index);

  // `schema`: the chosen fields in the order of the answer.
  Result<FragmentProjection> project(const columns::SchemaPtr& schema);
  Result<columns::Batch> read(const FragmentProjection& projection, read::IndexRange rows,
                              std::stop_token stop);
  Result<columns::Batch> take(const FragmentProjection& projection,
                              std::span<const uint64_t> offsets, std::stop_token stop);
  // The live ones of the physical rows `rows`.
  Result<LiveRows> read_live(const FragmentProjection& projection, read::IndexRange rows,
                             std::stop_token stop);
  // The live ones of `physical`, whose first row stands at the offset `begin`.
  Result<LiveRows> live_of(const columns::Batch& physical, uint64_t begin);

 private:
  template <typename ReadPart>
  Result<columns::Batch> join(const FragmentProjection& projection, uint64_t row_count,
                              const ReadPart& read_part);

  const Snapshot& snapshot_;
  const Fragment& fragment_;
  const read::ReadOptions& options_;
  base::Mutex mutex_;
  std::vector<std::unique_ptr<read::DataFileReader>> files_ WEFT_GUARDED_BY(mutex_);
  bool deletions_read_ WEFT_GUARDED_BY(mutex_) = false;
  std::optional<Deletions> deletions_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::lance
