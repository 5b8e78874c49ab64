#include "weft/exec/vector_source.h"

#include <algorithm>
#include <array>

namespace weft::exec {
namespace {

using rdf::IdPattern;
using rdf::Permutation;
using rdf::Position;
using rdf::TermId;

// An involution that scrambles the order: predicates are sorted by it.
uint32_t reversed_bits(uint32_t value) {
  value = ((value >> 1U) & 0x55555555U) | ((value & 0x55555555U) << 1U);
  value = ((value >> 2U) & 0x33333333U) | ((value & 0x33333333U) << 2U);
  value = ((value >> 4U) & 0x0f0f0f0fU) | ((value & 0x0f0f0f0fU) << 4U);
  return __builtin_bswap32(value);
}

uint32_t order_key(Position position, TermId id) {
  const uint32_t small = static_cast<uint32_t>(id);
  return position == Position::kPredicate ? reversed_bits(small) : small;
}

bool is_ours(TermId id, size_t term_count) {
  return id != rdf::kNoTerm && id <= term_count;
}

}  // namespace

VectorSource::Builder::Builder() = default;
VectorSource::Builder::~Builder() = default;

uint32_t VectorSource::Builder::intern(std::string_view token) {
  const auto [found, fresh] =
      ids_.try_emplace(std::string(token), static_cast<uint32_t>(tokens_.size() + 1));
  if (fresh) {
    tokens_.emplace_back(token);
  }
  return found->second;
}

void VectorSource::Builder::add(std::string_view subject, std::string_view predicate,
                                std::string_view object, std::string_view graph) {
  const uint32_t graph_id = graph.empty() ? 0 : intern(graph);
  rows_.push_back({graph_id, {intern(subject), intern(predicate), intern(object)}});
}

Status VectorSource::Builder::accept(std::span<const rdf::QuadView> quads) {
  for (const rdf::QuadView& quad : quads) {
    add(quad.subject, quad.predicate, quad.object, quad.graph);
  }
  return ok_status();
}

std::unique_ptr<VectorSource> VectorSource::Builder::build(Options options) && {
  return std::unique_ptr<VectorSource>(new VectorSource(std::move(*this), options));
}

VectorSource::VectorSource(Builder&& built, Options options)
    : options_(options), tokens_(std::move(built.tokens_)), ids_(std::move(built.ids_)) {
  std::vector<Builder::Row> rows = std::move(built.rows_);
  const auto key = [](const Builder::Row& row) {
    return std::array{row.graph, row.term[0], row.term[1], row.term[2]};
  };
  std::sort(rows.begin(), rows.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  rows.erase(std::unique(rows.begin(), rows.end(),
                         [&](const auto& a, const auto& b) { return key(a) == key(b); }),
             rows.end());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (graphs_.empty() || graphs_.back().graph != rows[i].graph) {
      graphs_.push_back({rows[i].graph, {i, i}});
    }
    graphs_.back().rows.end = i + 1;
  }
  for (size_t p = 0; p < rdf::kPermutationCount; ++p) {
    const auto permutation = static_cast<Permutation>(p);
    if (!has_order(permutation)) {
      continue;
    }
    std::vector<Triple>& order = orders_[p];
    order.reserve(rows.size());
    for (const Builder::Row& row : rows) {
      Triple triple{};
      for (size_t i = 0; i < 3; ++i) {
        const Position position = positions(permutation)[i];
        triple.key[i] = order_key(position, row.term[static_cast<size_t>(position)]);
      }
      order.push_back(triple);
    }
    for (const GraphRange& graph : graphs_) {
      const auto begin = order.begin();
      std::sort(begin + static_cast<std::ptrdiff_t>(graph.rows.begin),
                begin + static_cast<std::ptrdiff_t>(graph.rows.end));
    }
  }
}

VectorSource::~VectorSource() = default;

bool VectorSource::has_order(Permutation permutation) const {
  return options_.six_permutations || permutation <= Permutation::kOsp;
}

std::vector<VectorSource::Range> VectorSource::graph_ranges(const IdPattern& pattern) const {
  std::vector<Range> ranges;
  switch (pattern.scope) {
    case rdf::GraphScope::kDefault:
    case rdf::GraphScope::kOne: {
      const TermId wanted = pattern.scope == rdf::GraphScope::kDefault ? 0 : pattern.graph;
      const auto found =
          std::lower_bound(graphs_.begin(), graphs_.end(), wanted,
                           [](const GraphRange& graph, TermId id) { return graph.graph < id; });
      if (found != graphs_.end() && found->graph == wanted) {
        ranges.push_back(found->rows);
      }
      break;
    }
    case rdf::GraphScope::kAllNamed:
      for (const GraphRange& graph : graphs_) {
        if (graph.graph != 0) {
          ranges.push_back(graph.rows);
        }
      }
      break;
  }
  return ranges;
}

VectorSource::Range VectorSource::narrow(const IdPattern& pattern, Permutation permutation,
                                         Range graph_rows, size_t& bound) const {
  const std::vector<Triple>& order = orders_[static_cast<size_t>(permutation)];
  Range range = graph_rows;
  bound = 0;
  for (const Position position : positions(permutation)) {
    const TermId id = pattern.at(position);
    if (id == rdf::kNoTerm) {
      break;
    }
    if (!is_ours(id, tokens_.size())) {
      return {range.begin, range.begin};
    }
    const uint32_t wanted = order_key(position, id);
    const size_t column = bound++;
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(range.begin);
    const auto last = order.begin() + static_cast<std::ptrdiff_t>(range.end);
    const auto low = std::partition_point(
        first, last, [&](const Triple& triple) { return triple.key[column] < wanted; });
    const auto high = std::partition_point(
        low, last, [&](const Triple& triple) { return triple.key[column] <= wanted; });
    range = {static_cast<size_t>(low - order.begin()), static_cast<size_t>(high - order.begin())};
  }
  return range;
}

rdf::Permutation VectorSource::best_order(const IdPattern& pattern) const {
  Permutation best = Permutation::kSpo;
  size_t best_bound = 0;
  for (const Permutation permutation : {Permutation::kSpo, Permutation::kPos, Permutation::kOsp}) {
    size_t bound = 0;
    while (bound < 3 && pattern.at(positions(permutation)[bound]) != rdf::kNoTerm) {
      ++bound;
    }
    if (bound > best_bound) {
      best = permutation;
      best_bound = bound;
    }
  }
  return best;
}

Result<rdf::Cardinality> VectorSource::cardinality(const IdPattern& pattern) {
  cardinalities_.fetch_add(1, std::memory_order_relaxed);
  const Permutation permutation = best_order(pattern);
  uint64_t rows = 0;
  for (const Range& graph : graph_ranges(pattern)) {
    size_t bound = 0;
    const Range range = narrow(pattern, permutation, graph, bound);
    rows += range.end - range.begin;
  }
  return rdf::Cardinality{static_cast<double>(rows), true};
}

Result<double> VectorSource::distinct(const IdPattern& pattern, Position position) {
  constexpr size_t kSteps = 512;
  if (pattern.at(position) != rdf::kNoTerm) {
    return 1.0;
  }
  for (size_t p = 0; p < rdf::kPermutationCount; ++p) {
    const auto permutation = static_cast<Permutation>(p);
    const auto order_positions = positions(permutation);
    size_t bound = 0;
    while (bound < 3 && pattern.at(order_positions[bound]) != rdf::kNoTerm) {
      ++bound;
    }
    const size_t wanted_bound = (pattern.subject != 0 ? 1U : 0U) +
                                (pattern.predicate != 0 ? 1U : 0U) +
                                (pattern.object != 0 ? 1U : 0U);
    if (!has_order(permutation) || bound != wanted_bound || order_positions[bound] != position) {
      continue;
    }
    const std::vector<Triple>& order = orders_[p];
    double total = 0;
    for (const Range& graph : graph_ranges(pattern)) {
      const Range range = narrow(pattern, permutation, graph, bound);
      size_t at = range.begin;
      size_t steps = 0;
      for (; at < range.end && steps < kSteps; ++steps) {
        const uint32_t value = order[at].key[bound];
        at = static_cast<size_t>(
            std::partition_point(order.begin() + static_cast<std::ptrdiff_t>(at),
                                 order.begin() + static_cast<std::ptrdiff_t>(range.end),
                                 [&](const Triple& triple) { return triple.key[bound] <= value; }) -
            order.begin());
      }
      if (at > range.begin) {
        total += static_cast<double>(steps) * static_cast<double>(range.end - range.begin) /
                 static_cast<double>(at - range.begin);
      }
    }
    return total;
  }
  // No order tells: the rows, and no more than the whole graph has at this position.
  WEFT_TRY(const rdf::Cardinality rows, cardinality(pattern));
  if (pattern.subject == 0 && pattern.predicate == 0 && pattern.object == 0) {
    return rows.rows;
  }
  IdPattern whole;
  whole.scope = pattern.scope;
  whole.graph = pattern.graph;
  WEFT_TRY(const double at_most, distinct(whole, position));
  return std::min(rows.rows, at_most);
}

Status VectorSource::find(std::span<const std::string_view> tokens, std::vector<TermId>& ids) {
  finds_.fetch_add(1, std::memory_order_relaxed);
  for (const std::string_view token : tokens) {
    const auto found = ids_.find(std::string(token));
    ids.push_back(found == ids_.end() ? rdf::kNoTerm : found->second);
  }
  return ok_status();
}

Status VectorSource::tokens(std::span<const TermId> ids, std::vector<std::string>& tokens) {
  token_calls_.fetch_add(1, std::memory_order_relaxed);
  for (const TermId id : ids) {
    if (!is_ours(id, tokens_.size())) {
      return Error(ErrorKind::kInternal, "id is not of this source").with("id", id);
    }
    tokens.push_back(tokens_[id - 1]);
  }
  return ok_status();
}

// Delivers the ranges one after the other, skipping rows that a bound position outside the order's
// prefix rules out.
class VectorSource::Cursor final : public QuadCursor {
 public:
  Cursor(VectorSource& source, const IdPattern& pattern, Permutation permutation,
         std::stop_token stop)
      : source_(source), pattern_(pattern), permutation_(permutation), stop_(std::move(stop)) {
    for (const GraphRange& graph : source.graphs_) {
      const bool wanted = pattern.scope == rdf::GraphScope::kAllNamed ? graph.graph != 0
                          : pattern.scope == rdf::GraphScope::kOne
                              ? graph.graph == pattern.graph && graph.graph != 0
                              : graph.graph == 0;
      if (wanted) {
        const Range range = source.narrow(pattern, permutation, graph.rows, bound_);
        if (range.begin != range.end) {
          ranges_.push_back({graph.graph, range});
        }
      }
    }
  }

  Status next(rdf::IdBatch& batch) override {
    batch.clear();
    if (stop_.stop_requested()) {
      return Error(ErrorKind::kCancelled, "scan stopped");
    }
    const bool with_graph = pattern_.scope == rdf::GraphScope::kAllNamed;
    const std::vector<Triple>& order = source_.orders_[static_cast<size_t>(permutation_)];
    const auto order_positions = positions(permutation_);
    while (at_ < ranges_.size() && batch.size() < source_.options_.batch_rows) {
      Range& range = ranges_[at_].rows;
      const size_t end =
          std::min(range.end, range.begin + (source_.options_.batch_rows - batch.size()));
      for (; range.begin < end; ++range.begin) {
        std::array<TermId, 3> term{};
        for (size_t i = 0; i < 3; ++i) {
          const Position position = order_positions[i];
          const uint32_t key = order[range.begin].key[i];
          term[static_cast<size_t>(position)] =
              position == Position::kPredicate ? reversed_bits(key) : key;
        }
        if ((pattern_.subject != 0 && pattern_.subject != term[0]) ||
            (pattern_.predicate != 0 && pattern_.predicate != term[1]) ||
            (pattern_.object != 0 && pattern_.object != term[2])) {
          continue;
        }
        batch.subject.push_back(term[0]);
        batch.predicate.push_back(term[1]);
        batch.object.push_back(term[2]);
        if (with_graph) {
          batch.graph.push_back(ranges_[at_].graph);
        }
      }
      if (range.begin == range.end) {
        ++at_;
      }
    }
    source_.rows_.fetch_add(batch.size(), std::memory_order_relaxed);
    return ok_status();
  }

  Status seek(TermId key0, TermId key1) override {
    if (pattern_.scope == rdf::GraphScope::kAllNamed || at_ >= ranges_.size() || bound_ > 2) {
      return ok_status();
    }
    const auto order_positions = positions(permutation_);
    const uint32_t wanted0 = order_key(order_positions[bound_], key0);
    const uint32_t wanted1 = bound_ < 2 ? order_key(order_positions[bound_ + 1], key1) : 0;
    const std::vector<Triple>& order = source_.orders_[static_cast<size_t>(permutation_)];
    Range& range = ranges_[at_].rows;
    const auto low = std::partition_point(
        order.begin() + static_cast<std::ptrdiff_t>(range.begin),
        order.begin() + static_cast<std::ptrdiff_t>(range.end), [&](const Triple& triple) {
          return triple.key[bound_] != wanted0 ? triple.key[bound_] < wanted0
                                               : bound_ < 2 && triple.key[bound_ + 1] < wanted1;
        });
    range.begin = static_cast<size_t>(low - order.begin());
    if (range.begin == range.end) {
      ++at_;
    }
    return ok_status();
  }

 private:
  VectorSource& source_;
  IdPattern pattern_;
  Permutation permutation_;
  std::stop_token stop_;
  std::vector<GraphRange> ranges_;
  size_t at_ = 0;
  size_t bound_ = 0;
};

Result<std::unique_ptr<QuadCursor>> VectorSource::scan(const IdPattern& pattern,
                                                       Permutation permutation,
                                                       std::stop_token stop) {
  if (!has_order(permutation)) {
    return Error(ErrorKind::kInternal, "source has no such order")
        .with("permutation", static_cast<uint64_t>(permutation));
  }
  scans_.fetch_add(1, std::memory_order_relaxed);
  return std::unique_ptr<QuadCursor>(
      std::make_unique<Cursor>(*this, pattern, permutation, std::move(stop)));
}

Result<std::vector<ScanCut>> VectorSource::cuts(const IdPattern& pattern, Permutation permutation,
                                                size_t pieces, std::stop_token /*stop*/) {
  std::vector<ScanCut> cuts;
  const std::vector<Range> graphs = graph_ranges(pattern);
  if (graphs.size() != 1 || pattern.scope == rdf::GraphScope::kAllNamed) {
    return cuts;
  }
  size_t bound = 0;
  const Range range = narrow(pattern, permutation, graphs.front(), bound);
  const auto columns = positions(permutation);
  const auto is_key = [&](size_t column) {
    return column < 3 && columns[column] != Position::kPredicate &&
           pattern.at(columns[column]) == rdf::kNoTerm;
  };
  if (!is_key(bound)) {
    return cuts;
  }
  const std::vector<Triple>& order = orders_[static_cast<size_t>(permutation)];
  for (size_t i = 1; i < pieces; ++i) {
    const size_t at = range.begin + (range.end - range.begin) * i / pieces;
    if (at >= range.end) {
      break;
    }
    const ScanCut cut{order[at].key[bound], is_key(bound + 1) ? order[at].key[bound + 1] : 0};
    if (cuts.empty() || cuts.back() < cut) {
      cuts.push_back(cut);
    }
  }
  return cuts;
}

Status VectorSource::prefetch(std::span<const IdPattern> /*patterns*/, Permutation /*permutation*/,
                              std::stop_token /*stop*/) {
  prefetches_.fetch_add(1, std::memory_order_relaxed);
  return ok_status();
}

Result<std::vector<TermId>> VectorSource::graphs() {
  std::vector<TermId> ids;
  for (const GraphRange& graph : graphs_) {
    if (graph.graph != 0) {
      ids.push_back(graph.graph);
    }
  }
  return ids;
}

VectorSource::Counts VectorSource::counts() const {
  Counts counts;
  counts.scans = scans_.load();
  counts.rows = rows_.load();
  counts.finds = finds_.load();
  counts.token_calls = token_calls_.load();
  counts.prefetches = prefetches_.load();
  counts.cardinalities = cardinalities_.load();
  return counts;
}

void VectorSource::reset_counts() {
  scans_ = 0;
  rows_ = 0;
  finds_ = 0;
  token_calls_ = 0;
  prefetches_ = 0;
  cardinalities_ = 0;
}

}  // namespace weft::exec
