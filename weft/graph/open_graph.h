// A property graph that a process holds open: what one operation has read or written the next one
// does not read again.
//
//     OpenGraph graph(store, clock, executor);
//     WEFT_TRY(const LoadResult result, load(graph.place(random), {"ana", policy}, request, …));
//
// O1  A warm insert into one table is one question (is the catalog still the newest, are the heads
//     still there), one put of all that it stages, the publication, and one put of the heads; it
//     reads nothing. docs/protocols/write.md says what it costs.
// O2  Other processes may write the graph at any time: nothing that is remembered is taken for the
//     newest without asking.
// O3  Writers that wait at the same time share a publication (weft/txn/write_queue.h).
// Thread-safe; each thread brings its own `random`.
#pragma once

#include <cstdint>
#include <memory>

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/catalog/catalog.h"
#include "weft/catalog/known_state.h"
#include "weft/storage/object_store.h"
#include "weft/txn/write_queue.h"

namespace weft::graph {

struct OpenGraphOptions {
  // Of objects that are remembered.
  uint64_t memory_bytes_max = uint64_t{64} << 20U;
  // Group commit.
  bool share_publications = true;
};

class OpenGraph {
 public:
  // All must outlive it.
  OpenGraph(storage::ObjectStore& store, base::Clock& clock, base::Executor& executor,
            OpenGraphOptions options = {});

  // Of main. It must outlive what is done with the place.
  catalog::CatalogPlace place(base::Random& random);
  txn::WriteQueue& queue() { return queue_; }

 private:
  const OpenGraphOptions options_;
  catalog::KnownState known_;
  std::unique_ptr<storage::ObjectStore> store_;
  txn::WriteQueue queue_;
  base::Clock& clock_;
  base::Executor& executor_;
};

}  // namespace weft::graph
