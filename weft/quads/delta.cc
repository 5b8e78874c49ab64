#include "weft/quads/delta.h"

#include <algorithm>

namespace weft::quads {

namespace {

void append_ordinals(std::span<const OverlayRow> rows, bool with_graph,
                     std::vector<Ordinal>& ordinals) {
  for (const OverlayRow& row : rows) {
    ordinals.insert(ordinals.end(), {row.subject, row.predicate, row.object});
    if (with_graph) {
      ordinals.push_back(row.graph);
    }
  }
}

}  // namespace

Status append_delta(FoldTerms& terms, std::span<const OverlayRow> rows, const ScanOrder& order,
                    bool with_graph, std::vector<DeltaRow>& delta, std::stop_token stop) {
  // In pieces: ids for all rows at once would double the memory.
  constexpr size_t kPiece = 16'384;
  std::vector<Ordinal> ordinals;
  std::vector<ResolvedTerm> resolved;
  if (rows.size() > kPiece) {
    // All terms in one question, so that each chunk of the base's dictionary is decoded once.
    append_ordinals(rows, with_graph, ordinals);
    std::ranges::sort(ordinals);
    const auto repeated = std::ranges::unique(ordinals);
    ordinals.erase(repeated.begin(), repeated.end());
    WEFT_TRY_STATUS(terms.resolve(ordinals, resolved, stop));
  }
  delta.reserve(delta.size() + rows.size());
  for (size_t begin = 0; begin < rows.size(); begin += kPiece) {
    if (stop.stop_requested()) {
      return Error(ErrorKind::kCancelled, "stopped on request");
    }
    const std::span<const OverlayRow> piece =
        rows.subspan(begin, std::min(kPiece, rows.size() - begin));
    ordinals.clear();
    append_ordinals(piece, with_graph, ordinals);
    WEFT_TRY_STATUS(terms.resolve(ordinals, resolved, stop));
    const ResolvedTerm* next = resolved.data();
    for (const OverlayRow& row : piece) {
      const uint64_t graph = with_graph ? next[3].id : 0;
      delta.push_back(
          {.place = order.place(graph, next[0].id, next[1].key, next[2].id), .stamp = row.stamp});
      next += with_graph ? 4 : 3;
    }
  }
  return ok_status();
}

void sort_delta(std::vector<DeltaRow>& delta) {
  std::ranges::sort(delta, [](const DeltaRow& x, const DeltaRow& y) {
    const auto order = x.place <=> y.place;
    return order != 0 ? order < 0 : x.stamp > y.stamp;
  });
}

void keep_latest(std::vector<DeltaRow>& delta) {
  const auto repeated = std::ranges::unique(delta, {}, &DeltaRow::place);
  delta.erase(repeated.begin(), repeated.end());
}

}  // namespace weft::quads
