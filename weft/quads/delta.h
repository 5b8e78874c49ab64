// What overlays say about the quads that a pattern matches, in the order of a scan.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "weft/base/result.h"
#include "weft/quads/fold_terms.h"
#include "weft/quads/overlay.h"
#include "weft/rdf/ids.h"

namespace weft::quads {

// A quad's place in a scan: columns in the order of its permutation, predicates by their key. Base
// rows have the same keys, so that both sides compare as numbers.
struct RowPlace {
  uint64_t graph = 0;  // 0 where a scan is of one graph
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
  friend auto operator<=>(const RowPlace&, const RowPlace&) = default;
};

struct DeltaRow {
  RowPlace place;
  Stamp stamp = 0;
};

// The columns of a scan: which of a, b, c is the subject, and so on.
class ScanOrder {
 public:
  explicit ScanOrder(rdf::Permutation permutation) : positions_(rdf::positions(permutation)) {}

  RowPlace place(uint64_t graph, uint64_t subject, uint64_t predicate_key, uint64_t object) const {
    const uint64_t columns[3] = {subject, predicate_key, object};
    return {.graph = graph, .a = columns[index(0)], .b = columns[index(1)], .c = columns[index(2)]};
  }
  uint64_t at(const RowPlace& place, rdf::Position position) const {
    const uint64_t columns[3] = {place.a, place.b, place.c};
    for (size_t i = 0; i < 3; ++i) {
      if (positions_[i] == position) {
        return columns[i];
      }
    }
    return 0;
  }
  rdf::Position position(size_t column) const { return positions_[column]; }

 private:
  size_t index(size_t column) const { return static_cast<size_t>(positions_[column]); }
  std::array<rdf::Position, 3> positions_;
};

// Appends `rows` with their ids. `with_graph` keeps the graph column.
Status append_delta(FoldTerms& terms, std::span<const OverlayRow> rows, const ScanOrder& order,
                    bool with_graph, std::vector<DeltaRow>& delta, std::stop_token stop);

// Sorts by place; of equal places the latest stamp comes first.
void sort_delta(std::vector<DeltaRow>& delta);
// Keeps the first of equal places.
void keep_latest(std::vector<DeltaRow>& delta);

// Whether a quad is visible of which the latest overlay row has `stamp`.
inline bool is_visible(Stamp stamp, bool in_base, Stamp base_stamp) {
  return stamp > base_stamp ? adds(stamp) : in_base || adds(stamp);
}

}  // namespace weft::quads
