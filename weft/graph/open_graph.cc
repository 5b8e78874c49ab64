#include "weft/graph/open_graph.h"

namespace weft::graph {

OpenGraph::OpenGraph(storage::ObjectStore& store, base::Clock& clock, base::Executor& executor,
                     OpenGraphOptions options)
    : options_(options),
      known_(options.memory_bytes_max, clock),
      store_(storage::remembering_store(store, known_.objects(), catalog::is_worth_remembering)),
      clock_(clock),
      executor_(executor) {}

catalog::CatalogPlace OpenGraph::place(base::Random& random) {
  return {.store = *store_,
          .clock = clock_,
          .random = random,
          .executor = executor_,
          .life = {},
          .known = &known_,
          .queue = options_.share_publications ? &queue_ : nullptr};
}

}  // namespace weft::graph
