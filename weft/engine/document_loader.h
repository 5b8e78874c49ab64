// Where LOAD finds its documents when nothing is forbidden: what commands of the user's own use. A
// server has a loader of its own, with an allow-list.
#pragma once

#include "weft/engine/live_graph.h"

namespace weft::engine {

// Loads file: IRIs from the local disk and http: and https: ones over the network; the syntax is
// told by the name, and without one taken for Turtle. `environment` must outlive the loader. Errors
// of calling it: kUnsupported for other schemes; those of reading.
DocumentLoader any_document_loader(Environment& environment);

}  // namespace weft::engine
