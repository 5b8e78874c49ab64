#include "weft/exec/token_reader.h"

#include <algorithm>

namespace weft::exec {

Status read_tokens(QuadSource& source, const TermPool& pool, std::span<const rdf::TermId> ids,
                   std::vector<std::string>& tokens) {
  std::vector<rdf::TermId> stored;
  for (const rdf::TermId id : ids) {
    if (id != rdf::kNoTerm && !is_computed(id)) {
      stored.push_back(id);
    }
  }
  std::sort(stored.begin(), stored.end());
  stored.erase(std::unique(stored.begin(), stored.end()), stored.end());
  std::vector<std::string> texts;
  if (!stored.empty()) {
    texts.reserve(stored.size());
    WEFT_TRY_STATUS(source.tokens(stored, texts));
  }
  tokens.reserve(tokens.size() + ids.size());
  for (const rdf::TermId id : ids) {
    std::string& token = tokens.emplace_back();
    if (is_computed(id)) {
      pool.append_token(id, token);
    } else if (id != rdf::kNoTerm) {
      const auto at = std::lower_bound(stored.begin(), stored.end(), id);
      token = texts[static_cast<size_t>(at - stored.begin())];
    }
  }
  return ok_status();
}

}  // namespace weft::exec
