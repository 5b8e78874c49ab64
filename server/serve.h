// The server as a whole: a graph, the service over it, the network, upkeep, and the way down.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "server/http_server.h"
#include "server/service.h"

#include "weft/base/result.h"
#include "weft/engine/environment.h"
#include "weft/engine/live_graph.h"

namespace weft::server {

struct ServeOptions {
  HttpOptions http;
  ServiceOptions service;
  std::string access_log = "-";  // AccessLog::open
};

// Answers until `stop` is requested, then ends in order: running requests get the grace time, the
// graph is closed (its journal synced). `ready` is told the URL once requests are taken. Upkeep
// (seal, compact, what other processes changed) runs meanwhile. Errors: those of starting; of
// closing the graph.
Status serve(engine::Environment& environment, engine::LiveGraph& graph, ServeOptions options,
             std::stop_token stop, const std::function<void(const std::string& url)>& ready);

}  // namespace weft::server
