// What other programs have changed in the rows of a table, beside what the catalog pins.
// Protocol: docs/protocols/write.md, "Rows of others".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/graph/diff.h"
#include "weft/graph/snapshot.h"
#include "weft/txn/capture.h"

namespace weft::graph {

// Why rows of others cannot be adopted, ForeignTable::obstacle.
inline constexpr std::string_view kOtherColumns = "other-columns";
// A cleanup took away from which version the others went on.
inline constexpr std::string_view kUnknownBeginning = "unknown-beginning";

inline constexpr size_t kForeignVersionsNamedMax = 100;

struct ForeignVersion {
  uint64_t version = 0;
  std::string operation;  // "Append", "Delete", …; "": its transaction is gone
};

// A table with rows of others. A value.
struct ForeignTable {
  std::string type;
  bool is_edge = false;
  std::string key;
  std::string path;           // below the graph's root
  std::string native_branch;  // "": main
  uint64_t published_version = 0;
  uint64_t head_version = 0;  // the newest
  // Of others, ascending, as far as they are still there, the first kForeignVersionsNamedMax.
  std::vector<ForeignVersion> versions;
  uint64_t added = 0;
  uint64_t changed = 0;
  uint64_t removed = 0;
  // Not empty: the rows can only be discarded, and are not counted.
  std::string obstacle;
};

// One table while somebody looks at what others did to it. Not thread-safe.
class ForeignRows {
 public:
  // `published` is of the newest snapshot and must outlive this; `standing` says kOtherRows.
  // Errors: those of reading.
  static Result<std::unique_ptr<ForeignRows>> make(const catalog::CatalogPlace& place,
                                                   const TypeTable& published,
                                                   txn::Capture::Standing standing);

  const TypeTable& published() const { return published_; }
  const txn::Capture::Standing& standing() const { return standing_; }
  // The version of the others.
  const lance::Snapshot& newest() const { return newest_; }
  std::string_view obstacle() const { return obstacle_; }
  // Rows that the others added, changed and removed. Errors: as diff_tables.
  Status each(const std::function<Status(const RowDifference&)>& take,
              const std::stop_token& stop) const;
  // Rows that commits changed beside the others, if these went on from an older version than the
  // published one; no call if not.
  Status each_of_ours(const std::function<Status(const RowDifference&)>& take,
                      const std::stop_token& stop) const;
  // With the counts, if the rows can be read.
  Result<ForeignTable> describe(const std::stop_token& stop) const;

 private:
  ForeignRows(const TypeTable& published, txn::Capture::Standing standing, lance::Snapshot newest)
      : published_(published), standing_(std::move(standing)), newest_(std::move(newest)) {}

  const TypeTable& published_;
  txn::Capture::Standing standing_;
  lance::Snapshot newest_;
  std::string obstacle_;
  std::unique_ptr<TypeTable> before_;  // what the others went on from; null: not known
  std::unique_ptr<TypeTable> after_;   // what they left
};

}  // namespace weft::graph
