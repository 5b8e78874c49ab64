// The rows of one type of a load: few wait in memory, many stand in data files that nothing names
// yet. With them what tells whether they fit the graph: digests of ids and of unique values, and
// how many edges each source has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "weft/base/result.h"
#include "weft/graph/row_index.h"
#include "weft/graph/snapshot.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/ndjson/load_reader.h"

namespace weft::graph {

// Rows of a type up to these wait in memory: they take part in the folding of small fragments.
inline constexpr uint64_t kWaitingRowsMax = lance::kFoldRowsMax - 1;
inline constexpr uint64_t kWaitingBytesMax = lance::kFoldBytesMax;

struct DigestHash {
  size_t operator()(const codec::Digest16& digest) const;
};

struct LoadedUnique {
  std::vector<std::string> members;
  std::vector<size_t> columns;  // in the table
  RowIndex values;
};

struct SourceCount {
  uint64_t edges = 0;
  uint32_t row = 0;  // of the first edge
  std::string id;
};
using SourceCounts = std::unordered_map<codec::Digest16, SourceCount, DigestHash>;

class LoadedTable {
 public:
  // `life`: of the branch that is written. `options` names what is written. Without `keep` rows are
  // looked at and dropped: a dry run. Beyond what may wait the rows are written by `options`.
  LoadedTable(const TypeTable& table, std::string life, lance::RowOptions options, bool keep,
              uint64_t waiting_rows_max = kWaitingRowsMax,
              uint64_t waiting_bytes_max = kWaitingBytesMax);

  Status add(const ndjson::TypedBatch& batch);
  // Rows that wait are written now, for all of them take too much.
  Status spill();
  // After the last batch.
  Status finish();
  // Removes what was written; for loads that will not be published. Best effort.
  void discard();

  const TypeTable& table() const { return table_; }
  uint64_t row_count() const { return row_count_; }
  uint64_t waiting_bytes() const { return waiting_bytes_; }
  uint64_t line_of(uint32_t row) const { return row < lines_.size() ? lines_[row] : 0; }
  // Of all rows, in their order; built for look-ups if some of them may be asked for.
  const RowIndex& ids() const { return ids_; }
  // Empty unless the row waits here.
  std::string id_of(uint32_t row) const;
  // Some ids were given or come from keys. Fresh ones need no look: nothing has them.
  bool has_given_ids() const { return has_given_ids_; }
  const std::vector<LoadedUnique>& uniques() const { return uniques_; }
  // Of edge types with a bound; else empty.
  const SourceCounts& sources() const { return sources_; }
  // The sources of all rows, in their order; of such types too.
  const std::vector<codec::Digest16>& row_sources() const { return row_sources_; }

  // Either all rows wait here, or all are written.
  const std::vector<columns::Batch>& waiting() const { return waiting_; }
  bool is_written() const { return writer_ != nullptr || !fragments_.empty(); }
  const std::vector<lance::Fragment>& fragments() const { return fragments_; }

 private:
  // Where data files of the branch lie.
  lance::TableLocation location() const;
  Status open_writer();
  Status note_rows(const ndjson::TypedBatch& batch);

  const TypeTable& table_;
  const std::string life_;
  lance::RowOptions options_;
  const bool keep_;
  const uint64_t waiting_rows_max_;
  const uint64_t waiting_bytes_max_;
  const bool has_cardinality_;
  uint64_t row_count_ = 0;
  uint64_t waiting_bytes_ = 0;
  std::vector<uint64_t> lines_;
  RowIndex ids_;
  bool has_given_ids_ = false;
  std::vector<LoadedUnique> uniques_;
  SourceCounts sources_;
  std::vector<codec::Digest16> row_sources_;
  std::vector<columns::Batch> waiting_;
  std::unique_ptr<lance::RowWriter> writer_;
  std::vector<lance::Fragment> fragments_;
};

bool is_bounded(const schema::Cardinality& cardinality);
// Bytes of the buffers.
uint64_t batch_bytes(const columns::Batch& batch);

}  // namespace weft::graph
