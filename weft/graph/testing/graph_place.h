// A store in memory and all that working on a graph in it needs, for tests.
#pragma once

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/base/ulid.h"
#include "weft/catalog/catalog.h"
#include "weft/graph/authority.h"
#include "weft/storage/memory_store.h"

namespace weft::graph {

class GraphPlace {
 protected:
  static constexpr std::string_view kPeople = R"(
node Person {
  name: String @key
  age: I32? @index
  tags: [String]?
  @range(age, 0..150)
}
node City { name: String @key }
edge Knows: Person -> Person { since: Date? }
edge LivesIn: Person -> City @card(0..1)
)";

  catalog::CatalogPlace place() {
    return {.store = store_, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  Authority ana() { return {"ana", everything_}; }
  base::Ulid ulid() { return base::Ulid::make(clock_.now(), random_); }

  base::SystemClock clock_;
  base::Random random_{17};
  base::ThreadPool executor_{1};
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
  AllowEverything everything_;
};

}  // namespace weft::graph
