#include "weft/rete/build/order_builder.h"

#include <memory>
#include <optional>

#include "weft/rete/build/graph_tile_writer.h"
#include "weft/rete/build/tile_writer.h"

namespace weft::rete::build {
namespace {

using rdf::Permutation;

// One order, and the one whose sequence it is sorted from by a single position more. SPO, from
// rows in no order, comes first; every parent stands before its children.
struct OrderStep {
  Permutation order;
  Permutation parent;
  rdf::Position sorted_by;
};
constexpr std::array<OrderStep, 5> kSteps = {{
    {Permutation::kOsp, Permutation::kSpo, rdf::Position::kObject},
    {Permutation::kPos, Permutation::kOsp, rdf::Position::kPredicate},
    {Permutation::kSop, Permutation::kOsp, rdf::Position::kSubject},
    {Permutation::kPso, Permutation::kSpo, rdf::Position::kPredicate},
    {Permutation::kOps, Permutation::kPso, rdf::Position::kObject},
}};

bool is_wanted(Permutation order, bool six_permutations) {
  return six_permutations || order <= Permutation::kOsp;
}

// Rows of N columns: three for triples, the graph in front of them for quads.
template <size_t N>
class OrderBuilder {
 public:
  using Store = std::function<Status(Permutation, const std::function<Status(TakeRows<N>)>&)>;

  OrderBuilder(const Dictionary& dictionary, const OrderOptions& options,
               const OrderListeners<N>& listeners, const BuildSpace& space)
      : options_(options), listeners_(listeners), space_(space) {
    const std::array<uint32_t, 3> term_max = {dictionary.subject_max(), dictionary.predicate_max(),
                                              dictionary.object_max()};
    if (N == 4) {
      histograms_.emplace_back(1, dictionary.graph_max());
    }
    for (const uint32_t value_max : term_max) {
      histograms_.emplace_back(1, value_max);
    }
  }

  void count(std::span<const Row<N>> rows) {
    for (const Row<N>& row : rows) {
      for (size_t column = 0; column < N; ++column) {
        histograms_[column].add(row.at[column]);
      }
    }
  }

  // `rows` hands over all rows in any order; `store` stores one order.
  Status run(const std::function<Status(const TakeRows<N>&)>& rows, const Store& store) {
    std::vector<SortColumn> all;
    all.reserve(N);
    for (size_t column = 0; column < N; ++column) {
      all.push_back(sort_column(column));
    }
    sorters_[0] = std::make_unique<RowSorter<N>>(std::move(all), histograms_[0], true, space_);
    WEFT_TRY_STATUS(
        rows([this](std::span<const Row<N>> batch) { return sorters_[0]->accept(batch); }));
    WEFT_TRY_STATUS(emit(Permutation::kSpo, store));
    for (const OrderStep& step : kSteps) {
      if (is_wanted(step.order, options_.six_permutations)) {
        WEFT_TRY_STATUS(emit(step.order, store));
      }
    }
    return ok_status();
  }

 private:
  SortColumn sort_column(size_t column) const {
    return {column, histograms_[column].value_min(), histograms_[column].value_max()};
  }

  Status emit(Permutation order, const Store& store) {
    std::vector<RowSorter<N>*> children;
    for (const OrderStep& step : kSteps) {
      if (step.parent == order && is_wanted(step.order, options_.six_permutations)) {
        std::vector<SortColumn> columns;
        if (N == 4) {
          columns.push_back(sort_column(0));
        }
        columns.push_back(sort_column(N - 3 + static_cast<size_t>(step.sorted_by)));
        auto& child = sorters_[static_cast<size_t>(step.order)];
        child = std::make_unique<RowSorter<N>>(columns, histograms_[columns.front().column], false,
                                               space_);
        children.push_back(child.get());
      }
    }
    space_.report(N == 3 ? "index" : "graphs", done_++, options_.six_permutations ? 6 : 3);
    const auto& listeners = listeners_[static_cast<size_t>(order)];
    WEFT_TRY_STATUS(store(order, [&](const TakeRows<N>& take) {
      return sorters_[static_cast<size_t>(order)]->emit(
          [&](std::span<const Row<N>> rows) -> Status {
            for (RowSorter<N>* child : children) {
              WEFT_TRY_STATUS(child->accept(rows));
            }
            for (const TakeRows<N>& listener : listeners) {
              WEFT_TRY_STATUS(listener(rows));
            }
            return take(rows);
          });
    }));
    sorters_[static_cast<size_t>(order)].reset();
    return ok_status();
  }

  const OrderOptions& options_;
  const OrderListeners<N>& listeners_;
  const BuildSpace& space_;
  std::vector<ColumnHistogram> histograms_;  // by column
  std::array<std::unique_ptr<RowSorter<N>>, rdf::kPermutationCount> sorters_;
  uint64_t done_ = 0;
};

std::vector<TileOrder> empty_orders(bool six_permutations, const BuildSpace& space) {
  std::vector<TileOrder> orders;
  for (size_t i = 0; i < rdf::kPermutationCount; ++i) {
    if (is_wanted(static_cast<Permutation>(i), six_permutations)) {
      orders.emplace_back(static_cast<Permutation>(i), space);
    }
  }
  return orders;
}

// Emits one order through a writer.
template <typename Writer, typename Emit>
Status write_through(Writer writer, const Emit& emit) {
  WEFT_TRY_STATUS(emit([&writer](auto rows) { return writer.accept(rows); }));
  return writer.finish();
}

}  // namespace

Status build_triple_orders(NumberedRows& rows, const OrderOptions& options,
                           const OrderListeners<3>& listeners, const BuildSpace& space,
                           SegmentParts& parts) {
  parts.triples = empty_orders(options.six_permutations, space);
  OrderBuilder<3> builder(parts.dictionary, options, listeners, space);
  WEFT_TRY_STATUS(rows.for_each_triple([&builder](std::span<const Row<3>> batch) {
    builder.count(batch);
    return ok_status();
  }));
  return builder.run(
      [&rows](const TakeRows<3>& take) -> Status {
        WEFT_TRY_STATUS(rows.for_each_triple(take));
        rows.release_triples();
        return ok_status();
      },
      [&](Permutation order, const std::function<Status(TakeRows<3>)>& emit) -> Status {
        TileOrder& tiles = parts.triples[static_cast<size_t>(order)];
        TripleTileWriter writer(tiles, options.tile_bytes, space);
        WEFT_TRY_STATUS(emit([&](std::span<const Row<3>> batch) {
          if (order == Permutation::kSpo) {
            parts.triple_count += batch.size();
          }
          return writer.accept(batch);
        }));
        return writer.finish();
      });
}

Status build_quad_orders(NumberedRows& rows, const OrderOptions& options,
                         const OrderListeners<4>& listeners, const BuildSpace& space,
                         SegmentParts& parts) {
  if (rows.quad_count() == 0) {
    return ok_status();
  }
  parts.quads = empty_orders(options.six_permutations, space);
  OrderBuilder<4> builder(parts.dictionary, options, listeners, space);
  WEFT_TRY_STATUS(rows.for_each_quad([&builder](std::span<const Row<4>> batch) {
    builder.count(batch);
    return ok_status();
  }));
  return builder.run(
      [&rows](const TakeRows<4>& take) -> Status {
        WEFT_TRY_STATUS(rows.for_each_quad(take));
        rows.release_quads();
        return ok_status();
      },
      [&](Permutation order, const std::function<Status(TakeRows<4>)>& emit) -> Status {
        const auto counted = [&](const TakeRows<4>& take) {
          return emit([&, take](std::span<const Row<4>> batch) {
            if (order == Permutation::kSpo) {
              parts.quad_count += batch.size();
              for (const Row<4>& row : batch) {
                if (parts.graphs.empty() || parts.graphs.back().graph != row.at[0]) {
                  parts.graphs.push_back({.graph = row.at[0]});
                }
                ++parts.graphs.back().quads;
              }
            }
            return take(batch);
          });
        };
        TileOrder& tiles = parts.quads[static_cast<size_t>(order)];
        if (options.graphs_stand_alone) {
          return write_through(GraphTileWriter(tiles, options.tile_bytes, space), counted);
        }
        return write_through(QuadTileWriter(tiles, options.tile_bytes, space), counted);
      });
}

}  // namespace weft::rete::build
