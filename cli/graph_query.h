// weft query over a property graph: what the command line gives it.
#pragma once

#include <string>

#include "cli/graph_target.h"
#include "cli/session.h"

namespace weft::cli {

struct GraphQueryArguments {
  GraphArguments target;
  std::string name;  // empty: the only query of the text
  std::string text;  // -e
  std::string path;  // --query
  std::string params;
  std::string params_path;
  std::string format;
  bool explain = false;
  bool analyze = false;
  uint64_t timeout_ms = 0;  // 0: none
};

Status run_graph_query(const GraphQueryArguments& arguments, Session& session);

}  // namespace weft::cli
