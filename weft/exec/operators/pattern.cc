#include "weft/exec/operators/pattern.h"

namespace weft::exec {

const Column& id_column(const rdf::IdBatch& batch, size_t column) {
  switch (column) {
    case 0:
      return batch.subject;
    case 1:
      return batch.predicate;
    case 2:
      return batch.object;
    default:
      return batch.graph;
  }
}

Column& id_column(rdf::IdBatch& batch, size_t column) {
  switch (column) {
    case 0:
      return batch.subject;
    case 1:
      return batch.predicate;
    case 2:
      return batch.object;
    default:
      return batch.graph;
  }
}

PatternReader::PatternReader(const plan::Scan& scan, const Frame& frame) : scan_(scan) {
  std::array<rdf::TermId*, 3> places = {&pattern_.subject, &pattern_.predicate, &pattern_.object};
  for (size_t i = 0; i < 3; ++i) {
    const plan::PatternSlot& slot = scan.slots[i];
    if (!slot.variable) {
      *places[i] = slot.id;
      possible_ = possible_ && slot.id != rdf::kNoTerm;
    }
  }
  using Kind = plan::GraphChoice::Kind;
  switch (scan.graph.kind) {
    case Kind::kDefault:
      pattern_.scope = rdf::GraphScope::kDefault;
      break;
    case Kind::kConstant:
    case Kind::kLoop:
      pattern_.scope = rdf::GraphScope::kOne;
      pattern_.graph = scan.graph.kind == Kind::kLoop ? frame.loop_graph : scan.graph.id;
      possible_ = possible_ && pattern_.graph != rdf::kNoTerm;
      break;
    case Kind::kVariable:
      pattern_.scope = rdf::GraphScope::kAllNamed;
      break;
  }
  const auto variable_at = [&](size_t column) -> std::optional<plan::Variable> {
    if (column < 3) {
      return scan.slots[column].variable;
    }
    return scan.graph.kind == Kind::kVariable ? std::optional(scan.graph.variable) : std::nullopt;
  };
  for (size_t a = 0; a < 4; ++a) {
    for (size_t b = a + 1; b < 4; ++b) {
      if (variable_at(a) && variable_at(a) == variable_at(b)) {
        equal_.emplace_back(a, b);
      }
    }
  }
}

void PatternReader::bind(rdf::IdPattern& pattern, plan::Variable variable, rdf::TermId id) const {
  if (scan_.slots[0].variable == variable) {
    pattern.subject = id;
  }
  if (scan_.slots[1].variable == variable) {
    pattern.predicate = id;
  }
  if (scan_.slots[2].variable == variable) {
    pattern.object = id;
  }
  if (scan_.graph.kind == plan::GraphChoice::Kind::kVariable && scan_.graph.variable == variable &&
      id != rdf::kNoTerm) {
    pattern.scope = rdf::GraphScope::kOne;
    pattern.graph = id;
  }
}

size_t PatternReader::source_of(plan::Variable variable) const {
  for (size_t i = 0; i < 3; ++i) {
    if (scan_.slots[i].variable == variable) {
      return i;
    }
  }
  if (scan_.graph.kind == plan::GraphChoice::Kind::kVariable && scan_.graph.variable == variable) {
    return kGraphColumn;
  }
  return kNoColumn;
}

void PatternReader::drop_unequal(rdf::IdBatch& batch) {
  if (equal_.empty() || batch.size() == 0) {
    return;
  }
  keep_.assign(batch.size(), 1);
  for (const auto& [a, b] : equal_) {
    const Column& left = id_column(batch, a);
    const Column& right = id_column(batch, b);
    if (left.empty() || right.empty()) {
      continue;  // the graph of a bound pattern has no column: it is the pattern's
    }
    for (size_t row = 0; row < batch.size(); ++row) {
      keep_[row] = keep_[row] != 0 && left[row] == right[row] ? 1 : 0;
    }
  }
  size_t kept = 0;
  for (const uint8_t keep : keep_) {
    kept += keep;
  }
  for (size_t c = 0; c < 4; ++c) {
    Column& column = id_column(batch, c);
    if (column.empty()) {
      continue;
    }
    size_t out = 0;
    for (size_t row = 0; row < keep_.size(); ++row) {
      column[out] = column[row];
      out += keep_[row];
    }
    column.resize(kept);
  }
}

rdf::Permutation order_for(const QuadSource& source, const rdf::IdPattern& pattern,
                           rdf::Permutation preferred) {
  const auto serves = [&](rdf::Permutation permutation) {
    bool free_before = false;
    for (const rdf::Position position : rdf::positions(permutation)) {
      const bool is_free = pattern.at(position) == rdf::kNoTerm;
      if (!is_free && free_before) {
        return false;
      }
      free_before = free_before || is_free;
    }
    return true;
  };
  if (source.has_order(preferred) && serves(preferred)) {
    return preferred;
  }
  for (size_t p = 0; p < rdf::kPermutationCount; ++p) {
    const auto permutation = static_cast<rdf::Permutation>(p);
    if (source.has_order(permutation) && serves(permutation)) {
      return permutation;
    }
  }
  return rdf::Permutation::kSpo;
}

}  // namespace weft::exec
