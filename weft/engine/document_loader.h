// Where LOAD finds its documents.
#pragma once

#include <string>

#include "weft/engine/http_service.h"
#include "weft/engine/live_graph.h"
#include "weft/engine/reach.h"

namespace weft::engine {

struct LoadRules {
  Reach reach;
  // For http: and https:; null: the environment's.
  HttpClientSource client;
  std::string via;  // as in http_service.h
};

// Loads file: IRIs from the local disk and http: and https: ones over the network. The syntax is
// told by the name; without one, by the media type that a server says, else it is Turtle. Such
// answers are read whole (limit `kAnswerBytesMax`). `environment` must outlive the loader. Errors
// of calling it: kDenied beyond the reach; kUnsupported for other schemes; kLimit; those of
// reading.
DocumentLoader document_loader(Environment& environment, LoadRules rules);
inline constexpr uint64_t kAnswerBytesMax = uint64_t{256} << 20U;

// Everything: for commands of the user's own.
DocumentLoader any_document_loader(Environment& environment);

}  // namespace weft::engine
