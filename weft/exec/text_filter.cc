#include "weft/exec/text_filter.h"

#include <algorithm>
#include <string>

namespace weft::exec {
namespace {

constexpr unsigned kKnownBits = 13;

}  // namespace

size_t TextFilter::slot_of(rdf::TermId id) {
  return static_cast<size_t>((id * 0x9e3779b97f4a7c15ULL) >> (64U - kKnownBits));
}

Status TextFilter::test_unknown() {
  unknown_passes_.resize(unknown_.size());
  return source_.visit_tokens(unknown_, [this](size_t index, std::string_view token) {
    unknown_passes_[index] = passes(token) ? 1 : 0;
  });
}

Status TextFilter::apply(const Column& column, std::vector<uint8_t>& keep) {
  unknown_.clear();
  pending_.clear();
  std::string computed;
  bool ascends = true;
  for (size_t row = 0; row < column.size(); ++row) {
    const rdf::TermId id = column[row];
    if (keep[row] == 0) {
      continue;
    }
    if (id == rdf::kNoTerm || is_computed(id)) {
      computed.clear();
      if (id != rdf::kNoTerm) {
        pool_.append_token(id, computed);
      }
      keep[row] = passes(computed) ? 1 : 0;
    } else if (!known_.empty() && known_[slot_of(id)].id == id) {
      keep[row] = known_[slot_of(id)].passes;
    } else {
      pending_.push_back(static_cast<uint32_t>(row));
      if (unknown_.empty() || unknown_.back() != id) {
        ascends = ascends && (unknown_.empty() || unknown_.back() < id);
        unknown_.push_back(id);
      }
    }
  }
  if (!ascends) {
    std::sort(unknown_.begin(), unknown_.end());
    unknown_.erase(std::unique(unknown_.begin(), unknown_.end()), unknown_.end());
  }
  if (unknown_.empty()) {
    return ok_status();
  }
  WEFT_TRY_STATUS(test_unknown());
  size_t at = 0;
  for (const uint32_t row : pending_) {
    if (!ascends) {
      at = static_cast<size_t>(std::lower_bound(unknown_.begin(), unknown_.end(), column[row]) -
                               unknown_.begin());
    } else if (unknown_[at] != column[row]) {
      ++at;
    }
    keep[row] = unknown_passes_[at];
  }
  if (!ascends) {
    known_.resize(size_t{1} << kKnownBits);
    for (size_t i = 0; i < unknown_.size(); ++i) {
      known_[slot_of(unknown_[i])] = {unknown_[i], unknown_passes_[i]};
    }
  }
  return ok_status();
}

}  // namespace weft::exec
