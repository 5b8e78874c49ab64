// The rows that a mutation changes, as they will be: what one attempt makes of a snapshot.
#pragma once

#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/gq/check.h"
#include "weft/gqexec/parameters.h"
#include "weft/graph/snapshot.h"

namespace weft::gqexec {

// Rows of one type.
struct TypeImage {
  const graph::TypeTable* table = nullptr;
  // By id: new and changed rows, one row each. In the order in which they first came.
  std::map<std::string, columns::Batch, std::less<>> rows;
  std::vector<std::string> order;
  // Stored rows that go: id -> address.
  std::map<std::string, uint64_t, std::less<>> removed;
};

// One run per image. All arguments must outlive it.
class MutationImage {
 public:
  MutationImage(const graph::GraphSnapshot& graph, const gq::CheckedQuery& query,
                const ParameterValues& parameters, base::WallTime now, base::Random& random,
                const std::stop_token& stop)
      : graph_(graph),
        query_(query),
        parameters_(parameters),
        now_(now),
        random_(random),
        stop_(stop) {}

  // Errors: kInvalid for values that do not fit; kLimit (mutation.h); those of the store.
  Status run();

  // By key of the catalog.
  const std::map<std::string, TypeImage, std::less<>>& types() const { return types_; }
  uint64_t nodes() const { return nodes_; }
  uint64_t edges() const { return edges_; }

  // The changed rows as lines of a load (docs/formats/ndjson-load.md), with their ids.
  std::string lines() const;

 private:
  struct Found {
    std::string id;
    columns::Batch row;
    uint64_t address = 0;
    bool is_stored = false;
  };

  TypeImage& image(const graph::TypeTable& table);
  Status insert(const gq::Insert& statement);
  Status update(const gq::Update& statement);
  Status remove(const gq::Delete& statement);
  // Rows as they are now for which the predicate holds; of stored ones only ids if `ids_only`.
  Result<std::vector<Found>> find(TypeImage& type, const gq::Predicate& where, bool ids_only);
  Status remove_edges(const graph::TypeTable& nodes, const std::set<std::string>& ids);
  // A line of a load as a row: checked and typed.
  Result<columns::Batch> read_line(const graph::TypeTable& table, const std::string& line);
  Status put(TypeImage& type, columns::Batch row);
  Status account(uint64_t bytes);

  const graph::GraphSnapshot& graph_;
  const gq::CheckedQuery& query_;
  const ParameterValues& parameters_;
  const base::WallTime now_;
  base::Random& random_;
  const std::stop_token& stop_;
  std::map<std::string, TypeImage, std::less<>> types_;
  uint64_t nodes_ = 0;
  uint64_t edges_ = 0;
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
};

// A row as a line of a load. `changed`: values (arrays of one element) instead of the row's, by
// property.
std::string line_of(const graph::TypeTable& table, const columns::Batch& row,
                    const std::map<std::string, columns::ArrayPtr, std::less<>>& changed);

}  // namespace weft::gqexec
