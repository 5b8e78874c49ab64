#include "weft/quads/live_rows.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace weft::quads {
namespace {

// Shorter runs are looked through.
constexpr size_t kIndexedRowsMin = 64;

auto quad_of(const OverlayRow& row) {
  return std::tie(row.subject, row.predicate, row.object, row.graph);
}

bool before(const OverlayRow& a, const OverlayRow& b) {
  return quad_of(a) < quad_of(b);
}

// Which rows of an order begin with the given ordinals, as a range of positions.
template <typename KeyAt>
std::pair<size_t, size_t> equal_range(size_t size, const KeyAt& key_at) {
  const auto positions = [](size_t from, size_t to, const auto& is_before) {
    while (from < to) {
      const size_t middle = from + (to - from) / 2;
      if (is_before(middle)) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  };
  const size_t begin = positions(0, size, [&](size_t i) { return key_at(i) < 0; });
  return {begin, positions(begin, size, [&](size_t i) { return key_at(i) <= 0; })};
}

int compare(Ordinal a, Ordinal b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

}  // namespace

// Candidates of one run: positions [begin, end) of an order, or of the rows themselves.
struct LiveRows::Found {
  const Run* run = nullptr;
  const std::vector<uint32_t>* order = nullptr;
  size_t begin = 0;
  size_t end = 0;
  const OverlayRow& at(size_t position) const {
    return run->rows[order == nullptr ? position : (*order)[position]];
  }
};

namespace {

bool holds(const OverlayRow& row, const rdf::IdPattern& pattern, const LiveRows::Wanted& wanted) {
  const bool in_scope = pattern.scope == rdf::GraphScope::kDefault ? row.graph == kNoOrdinal
                        : pattern.scope == rdf::GraphScope::kOne   ? row.graph == wanted[3]
                                                                   : row.graph != kNoOrdinal;
  return in_scope && (pattern.subject == rdf::kNoTerm || row.subject == wanted[0]) &&
         (pattern.predicate == rdf::kNoTerm || row.predicate == wanted[1]) &&
         (pattern.object == rdf::kNoTerm || row.object == wanted[2]);
}

bool can_match(const rdf::IdPattern& pattern, const LiveRows::Wanted& wanted) {
  return (pattern.subject == rdf::kNoTerm || wanted[0] != kNoOrdinal) &&
         (pattern.predicate == rdf::kNoTerm || wanted[1] != kNoOrdinal) &&
         (pattern.object == rdf::kNoTerm || wanted[2] != kNoOrdinal) &&
         (pattern.scope != rdf::GraphScope::kOne || wanted[3] != kNoOrdinal);
}

}  // namespace

LiveRows::Found LiveRows::find(const Run& run, const rdf::IdPattern& pattern,
                               const Wanted& wanted) {
  Found found{.run = &run, .order = nullptr, .begin = 0, .end = run.rows.size()};
  const bool has_subject = pattern.subject != rdf::kNoTerm;
  const bool has_predicate = pattern.predicate != rdf::kNoTerm;
  const bool has_object = pattern.object != rdf::kNoTerm;
  // Compares a row with the bound terms in the order of columns, up to the first open one.
  const auto prefix = [&](const OverlayRow& row, const std::array<size_t, 3>& columns) {
    const std::array<Ordinal, 3> values = {row.subject, row.predicate, row.object};
    const std::array<bool, 3> bound = {has_subject, has_predicate, has_object};
    for (const size_t column : columns) {
      if (!bound[column]) {
        return 0;
      }
      if (const int order = compare(values[column], wanted[column]); order != 0) {
        return order;
      }
    }
    return 0;
  };
  if (has_subject && (has_predicate || !has_object || run.by_object.empty())) {
    std::tie(found.begin, found.end) =
        equal_range(run.rows.size(), [&](size_t i) { return prefix(run.rows[i], {0, 1, 2}); });
  } else if (run.by_predicate.empty()) {
    return found;
  } else if (has_object && (has_subject || !has_predicate)) {
    found.order = &run.by_object;
    std::tie(found.begin, found.end) = equal_range(
        run.rows.size(), [&](size_t i) { return prefix(run.rows[run.by_object[i]], {2, 0, 1}); });
  } else if (has_predicate) {
    found.order = &run.by_predicate;
    std::tie(found.begin, found.end) = equal_range(run.rows.size(), [&](size_t i) {
      return prefix(run.rows[run.by_predicate[i]], {1, 2, 0});
    });
  } else {
    found.order = &run.by_graph;
    const bool is_all_named = pattern.scope == rdf::GraphScope::kAllNamed;
    const Ordinal graph = pattern.scope == rdf::GraphScope::kOne ? wanted[3] : kNoOrdinal;
    std::tie(found.begin, found.end) = equal_range(
        run.rows.size(), [&](size_t i) { return compare(run.rows[run.by_graph[i]].graph, graph); });
    if (is_all_named) {
      found.begin = found.end;  // behind the default graph's
      found.end = run.rows.size();
    }
  }
  return found;
}

Result<std::shared_ptr<const LiveRows::Run>> LiveRows::make_run(std::vector<OverlayRow> rows,
                                                                bool is_effective,
                                                                base::MemoryBudget& budget) {
  auto run = std::make_shared<Run>(budget);
  WEFT_TRY_STATUS(run->hold.cover(rows.size() * (sizeof(OverlayRow) + 3 * sizeof(uint32_t))));
  run->rows = std::move(rows);
  run->is_effective = is_effective;
  for (const OverlayRow& row : run->rows) {
    run->net_quads += adds(row.stamp) ? 1 : -1;
  }
  if (run->rows.size() < kIndexedRowsMin) {
    return std::shared_ptr<const Run>(std::move(run));
  }
  const std::vector<OverlayRow>& all = run->rows;
  const auto sorted_by = [&](const auto& key) {
    std::vector<uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order,
                             [&](uint32_t a, uint32_t b) { return key(all[a]) < key(all[b]); });
    return order;
  };
  run->by_predicate = sorted_by(
      [](const OverlayRow& row) { return std::tie(row.predicate, row.object, row.subject); });
  run->by_object = sorted_by(
      [](const OverlayRow& row) { return std::tie(row.object, row.subject, row.predicate); });
  run->by_graph = sorted_by([](const OverlayRow& row) { return row.graph; });
  return std::shared_ptr<const Run>(std::move(run));
}

// What was inserted and then deleted, or the other way round, is as if nothing had happened: if
// both were effective, the quad is as it was before the older one.
std::vector<OverlayRow> LiveRows::merged(std::span<const OverlayRow> older,
                                         std::span<const OverlayRow> newer, bool cancels) {
  std::vector<OverlayRow> rows;
  rows.reserve(older.size() + newer.size());
  auto old = older.begin();
  auto next = newer.begin();
  while (old != older.end() || next != newer.end()) {
    if (next == newer.end() || (old != older.end() && before(*old, *next))) {
      rows.push_back(*old++);
    } else if (old == older.end() || before(*next, *old)) {
      rows.push_back(*next++);
    } else {
      if (!cancels || adds(old->stamp) == adds(next->stamp)) {
        rows.push_back(*next);
      }
      ++old;
      ++next;
    }
  }
  return rows;
}

Result<std::shared_ptr<const LiveRows>> LiveRows::with(std::vector<OverlayRow> changes,
                                                       Effect effect,
                                                       base::MemoryBudget& budget) const {
  auto next = std::make_shared<LiveRows>(*this);
  if (changes.empty()) {
    return std::shared_ptr<const LiveRows>(std::move(next));
  }
  std::ranges::sort(changes, before);
  WEFT_TRY(std::shared_ptr<const Run> run,
           make_run(std::move(changes), effect == Effect::kKnown, budget));
  while (!next->runs_.empty() && next->runs_.back()->rows.size() < 2 * run->rows.size()) {
    const std::shared_ptr<const Run> older = std::move(next->runs_.back());
    next->runs_.pop_back();
    const bool is_effective = older->is_effective && run->is_effective;
    WEFT_TRY(run, make_run(merged(older->rows, run->rows, is_effective), is_effective, budget));
  }
  if (!run->rows.empty()) {
    next->runs_.push_back(std::move(run));
  }
  return std::shared_ptr<const LiveRows>(std::move(next));
}

size_t LiveRows::row_count() const {
  size_t count = 0;
  for (const auto& run : runs_) {
    count += run->rows.size();
  }
  return count;
}

std::optional<int64_t> LiveRows::net_quads() const {
  int64_t net = 0;
  for (const auto& run : runs_) {
    if (!run->is_effective) {
      return std::nullopt;
    }
    net += run->net_quads;
  }
  return net;
}

void LiveRows::collect(const rdf::IdPattern& pattern, const Wanted& wanted, Stamp first_stamp,
                       std::vector<OverlayRow>& rows) const {
  if (!can_match(pattern, wanted)) {
    return;
  }
  Stamp stamp = first_stamp;
  for (const auto& run : runs_) {
    const Found found = find(*run, pattern, wanted);
    for (size_t i = found.begin; i < found.end; ++i) {
      const OverlayRow& row = found.at(i);
      if (holds(row, pattern, wanted)) {
        rows.push_back(row);
        rows.back().stamp = stamp + (adds(row.stamp) ? 1 : 0);
      }
    }
    stamp += 2;
  }
}

bool LiveRows::look_up(const rdf::IdPattern& pattern, const Wanted& wanted, Stamp first_stamp,
                       size_t rows_max, std::vector<OverlayRow>& rows) const {
  if (!can_match(pattern, wanted)) {
    return true;
  }
  size_t candidates = 0;
  for (const auto& run : runs_) {
    const Found found = find(*run, pattern, wanted);
    candidates += found.end - found.begin;
    if (candidates > rows_max) {
      return false;
    }
  }
  if (candidates > 0) {
    collect(pattern, wanted, first_stamp, rows);
  }
  return true;
}

std::optional<bool> LiveRows::newest(const OverlayRow& quad) const {
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    const auto at = std::ranges::lower_bound((*run)->rows, quad, before);
    if (at != (*run)->rows.end() && quad_of(*at) == quad_of(quad)) {
      return adds(at->stamp);
    }
  }
  return std::nullopt;
}

Overlay::Count LiveRows::count(const rdf::IdPattern& pattern, const Wanted& wanted) const {
  Overlay::Count count;
  if (!can_match(pattern, wanted)) {
    return count;
  }
  for (const auto& run : runs_) {
    const Found found = find(*run, pattern, wanted);
    const size_t size = found.end - found.begin;
    Overlay::Count here;
    const auto add_every = [&](size_t step) {
      for (size_t i = found.begin; i < found.end; i += step) {
        const OverlayRow& row = found.at(i);
        if (holds(row, pattern, wanted)) {
          here.net += adds(row.stamp) ? static_cast<double>(step) : -static_cast<double>(step);
          here.rows += static_cast<double>(step);
        }
      }
    };
    add_every(std::max<size_t>(size / kCountedRows, 1));
    if (here.rows == 0 && size > kCountedRows) {
      add_every(1);  // "none" must be true
    }
    count.net += here.net;
    count.rows += here.rows;
  }
  return count;
}

void LiveRows::graphs(std::vector<Ordinal>& graphs) const {
  for (const auto& run : runs_) {
    for (const OverlayRow& row : run->rows) {
      if (row.graph != kNoOrdinal && (graphs.empty() || graphs.back() != row.graph)) {
        graphs.push_back(row.graph);
      }
    }
  }
}

std::vector<OverlayRow> LiveRows::net() const {
  std::vector<OverlayRow> rows;
  bool is_effective = true;
  for (const auto& run : runs_) {
    is_effective = is_effective && run->is_effective;
    rows = merged(rows, run->rows, is_effective);
  }
  return rows;
}

}  // namespace weft::quads
