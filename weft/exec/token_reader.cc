#include "weft/exec/token_reader.h"

#include <algorithm>
#include <utility>

namespace weft::exec {

Status read_tokens(QuadSource& source, const TermPool& pool, std::span<const rdf::TermId> ids,
                   std::vector<std::string>& tokens) {
  const size_t first = tokens.size();
  tokens.resize(first + ids.size());
  // Stored ids with their places, by id.
  std::vector<std::pair<rdf::TermId, uint32_t>> stored;
  stored.reserve(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (is_computed(ids[i])) {
      pool.append_token(ids[i], tokens[first + i]);
    } else if (ids[i] != rdf::kNoTerm) {
      stored.emplace_back(ids[i], static_cast<uint32_t>(i));
    }
  }
  if (stored.empty()) {
    return ok_status();
  }
  if (!std::is_sorted(stored.begin(), stored.end())) {
    std::sort(stored.begin(), stored.end());
  }
  std::vector<rdf::TermId> different;
  different.reserve(stored.size());
  for (const auto& [id, place] : stored) {
    if (different.empty() || different.back() != id) {
      different.push_back(id);
    }
  }
  size_t at = 0;
  return source.visit_tokens(different, [&](size_t index, std::string_view token) {
    for (; at < stored.size() && stored[at].first == different[index]; ++at) {
      tokens[first + stored[at].second] = token;
    }
  });
}

}  // namespace weft::exec
