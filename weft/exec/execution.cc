#include "weft/exec/execution.h"

#include <algorithm>

namespace weft::exec {

Status Execution::resolve(Column& column) {
  std::vector<rdf::TermId> unknown;
  for (const rdf::TermId id : column) {
    if (is_computed(id) && pool.resolved(id) == rdf::kNoTerm) {
      unknown.push_back(id);
    }
  }
  if (!unknown.empty()) {
    std::sort(unknown.begin(), unknown.end());
    unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
    std::vector<std::string> tokens(unknown.size());
    std::vector<std::string_view> views(unknown.size());
    for (size_t i = 0; i < unknown.size(); ++i) {
      pool.append_token(unknown[i], tokens[i]);
      views[i] = tokens[i];
    }
    std::vector<rdf::TermId> found;
    WEFT_TRY_STATUS(source.find(views, found));
    for (size_t i = 0; i < unknown.size(); ++i) {
      WEFT_TRY_STATUS(
          pool.set_resolved(unknown[i], found[i] == rdf::kNoTerm ? unknown[i] : found[i]));
    }
  }
  for (rdf::TermId& id : column) {
    if (is_computed(id)) {
      id = pool.resolved(id);
    }
  }
  return ok_status();
}

}  // namespace weft::exec
