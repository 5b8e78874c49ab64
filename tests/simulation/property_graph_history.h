// What is left of a world, as a fresh process finds it, compared with the model: all chains of
// versions, commit by commit. For the checks (property_graph_check.cc, property_graph_tables.cc).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/property_graph_world.h"

#include "weft/lance/table/snapshot.h"

namespace weft::simulation {

// Sizes of the foreigner's cities begin here.
inline constexpr int64_t kForeignSizeMin = 1'000;

// The graph after one commit, as the model has it. Of commits that share a version the last one is
// what the version shows.
struct State {
  uint64_t version = 0;
  base::Ulid commit;
  ModelRows rows;
};

// All versions of main or of one life of a branch.
struct Chain {
  std::string branch;
  catalog::CatalogPlace place;
  std::vector<State> states;  // the inherited one first
  std::set<std::string> operations;
  std::set<int64_t> settled;  // sizes of the foreigner's rows that a repair has decided about
  bool has_ended = false;
  bool is_struck = false;  // a cleanup has taken all but its end
};

struct Publication {
  std::string life;
  catalog::CommitRecord commit;
};

struct History {
  std::map<std::string, Chain> chains;                   // by life
  std::map<std::string, std::vector<std::string>> refs;  // lives of a branch in their order
  std::map<size_t, std::vector<Publication>> published;  // by the number of the operation
  std::set<base::Ulid> ends;                             // commits that end a branch
  // Sizes of foreign rows that a repair may have discarded, after which the foreigner has cleaned.
  std::set<int64_t> lost_sight;
  // Of tables ("path@branch") and versions: the hashes of heads.
  std::map<std::pair<std::string, uint64_t>, std::set<std::string>> pins;
};

// A place of main without faults. `executor` must outlive it.
catalog::CatalogPlace plain_place(World& world, base::Executor& executor);
std::string version_text(const catalog::CatalogPlace& place, uint64_t version);

// Violates the world unless the result is one.
template <typename T>
bool holds(World& world, const Result<T>& result, const std::string& what) {
  if (!result.ok()) {
    world.violate(what + ": " + result.error().to_string());
  }
  return result.ok();
}

// Reads all chains; what is not as the model has it is a violation.
History check_chains(World& world, base::Executor& executor);

// All versions of a chain after that number, each commit read by its id.
Result<std::vector<ReadVersion>> read_chain(const catalog::CatalogPlace& place, uint64_t after);

// Names and sizes of a version of the table of cities; -1: it has none.
Result<std::map<std::string, int64_t>> read_cities(const lance::Snapshot& version);

// Whether all that writers and readers were told is true of that history.
void check_answers(World& world, const History& history, base::Executor& executor);
// Whether the tables are as they should be, and those who come after can go on.
void check_tables(World& world, const History& history, base::Executor& executor);

}  // namespace weft::simulation
