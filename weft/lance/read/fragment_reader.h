// One fragment of a table, open: its data files and its deleted rows.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/lance/table/deletions.h"
#include "weft/lance/table/snapshot.h"

namespace weft::lance::read {

// How the columns asked for are spread over the files of a fragment.
struct FragmentProjection {
  struct Part {
    DataFileReader* file = nullptr;  // null: no file has them
    Projection projection;
    std::vector<size_t> columns;  // where its columns stand in the answer
  };
  columns::SchemaPtr schema;
  std::vector<Part> parts;
};

// Thread-safe. `snapshot` must outlive it.
class FragmentReader {
 public:
  FragmentReader(const Snapshot& snapshot, const Fragment& fragment, const ReadOptions& options)
      : snapshot_(snapshot), fragment_(fragment), options_(options) {}

  const Fragment& fragment() const { return fragment_; }
  // Null: nothing is deleted.
  Result<const Deletions*> deletions();
  Result<DataFileReader*> file(size_t index);

  // `schema`: the chosen fields in the order of the answer.
  Result<FragmentProjection> project(const columns::SchemaPtr& schema);
  // Physical rows, deleted ones included.
  Result<columns::Batch> read(const FragmentProjection& projection, IndexRange rows,
                              std::stop_token stop);
  Result<columns::Batch> take(const FragmentProjection& projection,
                              std::span<const uint64_t> offsets, std::stop_token stop);

 private:
  template <typename ReadPart>
  Result<columns::Batch> join(const FragmentProjection& projection, uint64_t row_count,
                              const ReadPart& read_part);

  const Snapshot& snapshot_;
  const Fragment& fragment_;
  const ReadOptions& options_;
  base::Mutex mutex_;
  std::vector<std::unique_ptr<DataFileReader>> files_ WEFT_GUARDED_BY(mutex_);
  bool deletions_read_ WEFT_GUARDED_BY(mutex_) = false;
  std::optional<Deletions> deletions_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::lance::read
