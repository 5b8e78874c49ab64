// A property graph in a store, and the things that scripts do to it, in one call each.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "weft/base/random.h"
#include "weft/base/ulid.h"
#include "weft/catalog/branches.h"
#include "weft/graph/authority.h"
#include "weft/graph/load.h"
#include "weft/graph/open_graph.h"
#include "weft/graph/snapshot.h"
#include "weft/lance/rows/row_operations.h"

namespace weft::crash {

class GraphAt {
 public:
  // `store` must outlive it.
  explicit GraphAt(storage::ObjectStore& store, uint64_t seed = 9) : store_(store), random_(seed) {}
  // A thread of a process that holds the graph open. Both must outlive it.
  GraphAt(storage::ObjectStore& store, graph::OpenGraph& open, uint64_t seed)
      : store_(store), random_(seed), open_(&open) {}

  storage::ObjectStore& store() { return store_; }
  catalog::CatalogPlace place() {
    return open_ != nullptr ? open_->place(random_)
                            : catalog::CatalogPlace{.store = store_,
                                                    .clock = clock_,
                                                    .random = random_,
                                                    .executor = executor_,
                                                    .life = {}};
  }
  base::Ulid ulid() { return base::Ulid::make(clock_.now(), random_); }

  Status init(base::Ulid operation);
  Status load(std::string_view lines, graph::LoadRequest request);
  Status mutate(std::string_view body, base::Ulid operation, std::string_view branch = "main");
  Status branch(std::string_view name, const graph::GraphPoint& from = {});
  Status delete_branch(std::string_view name);
  // Whether the last load or mutation was there already.
  bool is_repeated() const { return is_repeated_; }

  // What another program does to a table of main.
  Status compact(std::string_view key);
  Status touch(std::string_view key);
  Status tag(std::string_view key);
  Status append_foreign_row(std::string_view key);
  // Removes all versions but the newest.
  Status clean(std::string_view key);
  // The newest head is not there (nobody followed).
  Status lose_head(std::string_view key);

  // All branches with their rows: "no graph" if there is none.
  Result<std::string> state();
  // Whatever does not hold of heads: each is a version that was published, or of another program.
  std::string bad_heads();

 private:
  Result<lance::Snapshot> head(std::string_view key);
  Status commit(Result<lance::StagedTransaction> staged);
  lance::RowOptions foreign();
  Status add_published(const catalog::CatalogPlace& place, std::map<std::string, bool>& hashes);

  storage::ObjectStore& store_;
  base::SystemClock clock_;
  base::Random random_;
  base::InlineExecutor executor_;
  graph::AllowEverything policy_;
  graph::OpenGraph* open_ = nullptr;
  bool is_repeated_ = false;
};

// One script: steps one after another, each of which is one commit or none.
struct Script {
  using Step = std::function<Status(GraphAt&, base::Ulid operation)>;
  std::string name;
  // Without faults; upon a graph with some rows.
  std::function<Status(GraphAt&)> before = {};
  std::vector<Step> steps;
  // Steps that interleave, in place of one after another. The outcome must be as if they did not.
  std::function<Status(GraphAt&, const std::vector<base::Ulid>&)> run = {};
  bool has_graph = true;  // else the first step makes it
};
std::vector<Script> scripts_of_writes();
std::vector<Script> scripts_of_branches();
std::vector<Script> scripts_with_others();

}  // namespace weft::crash
