// Who listens to the orders of a build as they come by: statistics, labels, text.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/label_index.h"
#include "weft/rete/build/options.h"
#include "weft/rete/build/order_builder.h"
#include "weft/rete/build/schema_counter.h"
#include "weft/rete/build/segment_parts.h"
#include "weft/rete/build/text_index.h"

namespace weft::rete::build {

// Not thread-safe. `options` and `space` must outlive it. Calls in the order they are declared in.
class Listeners {
 public:
  Listeners(const BuildOptions& options, const BuildSpace& space);

  // Every predicate, while they are numbered.
  void note_predicate(std::string_view token, uint32_t id);
  // The dictionary is complete.
  void start(const Dictionary& dictionary);
  const OrderListeners<3>& triples() const { return triples_; }
  const OrderListeners<4>& quads() const { return quads_; }
  // All orders have come by: fills schema, labels and text of `parts`.
  Status finish(SegmentParts& parts, BuildReport& report);

 private:
  void start_schema(const Dictionary& dictionary);
  void start_labels(const Dictionary& dictionary);
  void start_text(const Dictionary& dictionary, const TextIndexScope& scope);
  Status finish_schema(SegmentParts& parts, BuildReport& report);

  const BuildOptions* options_;
  const BuildSpace* space_;
  SchemaPredicates schema_predicates_;
  std::string type_predicate_;
  std::vector<std::pair<uint32_t, LabelSlot>> label_predicates_;
  std::vector<uint32_t> text_predicates_;
  std::unique_ptr<SchemaCounter> schema_;
  std::unique_ptr<LabelCollector> labels_;
  std::unique_ptr<TextCollector> text_;
  OrderListeners<3> triples_;
  OrderListeners<4> quads_;
};

}  // namespace weft::rete::build
