#include "weft/quads/merge_segments.h"

#include <algorithm>

#include "weft/rete/dump.h"

namespace weft::quads {
namespace {

constexpr uint8_t kThreePermutations = 0x07;

}  // namespace

Status merge_options(std::span<const std::shared_ptr<rete::Segment>> segments,
                     base::Executor& executor, rete::BuildOptions& options) {
  for (const std::shared_ptr<rete::Segment>& segment : segments) {
    const rete::SegmentFacts& facts = segment->facts();
    options.six_permutations |= (facts.permutation_mask & ~kThreePermutations) != 0;
    options.label_index |= facts.has_label_index;
    if (facts.has_text_index) {
      WEFT_TRY(const std::optional<rete::TextScope> scope, segment->text_scope());
      if (!options.text_index) {
        options.text_index = rete::TextIndexScope{};
      }
      options.text_index->named_graphs |= scope && scope->covers_named_graphs;
    }
  }
  options.sink_count = std::clamp<size_t>(segments.size(), 1, executor.width());
  return ok_status();
}

Status merge_into(std::span<const std::shared_ptr<rete::Segment>> segments,
                  base::Executor& executor, rete::SegmentBuilder& builder, std::stop_token stop) {
  const size_t sinks = builder.sink_count();
  return executor.for_each(
      sinks,
      [&](size_t worker) -> Status {
        for (size_t i = worker; i < segments.size(); i += sinks) {
          WEFT_TRY_STATUS(rete::dump(*segments[i], builder.sink(worker), {}, stop));
        }
        return ok_status();
      },
      stop);
}

}  // namespace weft::quads
