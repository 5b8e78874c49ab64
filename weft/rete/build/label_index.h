// The label index: the labels of all subjects of the default graph, in order. Format:
// docs/formats/rete.md, "Label index".
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/segment_parts.h"
#include "weft/rete/build/string_sorter.h"
#include "weft/rete/build/term_reader.h"

namespace weft::rete::build {

enum class LabelSlot : uint8_t { kDirect, kFamily, kGiven };
// The slot of a label predicate's token; nullopt if it is none.
std::optional<LabelSlot> label_slot(std::string_view predicate);

// Collects labels while the POS order comes by; then writes the index. Not thread-safe.
class LabelCollector {
 public:
  LabelCollector(const Dictionary& dictionary,
                 std::vector<std::pair<uint32_t, LabelSlot>> predicates, uint32_t restart_interval,
                 const BuildSpace& space)
      : dictionary_(&dictionary),
        predicates_(std::move(predicates)),
        restart_interval_(restart_interval),
        space_(&space),
        objects_(dictionary, DictSection::kObjects, restart_interval, space.codec.compresses()),
        found_(space) {}

  Status accept_pos(std::span<const Row<3>> rows);
  // nullopt if no subject has a label.
  Result<std::optional<LabelParts>> finish();

 private:
  Status sort_labels(StringSorter& sorted);

  const Dictionary* dictionary_;
  std::vector<std::pair<uint32_t, LabelSlot>> predicates_;  // by id
  uint32_t restart_interval_;
  const BuildSpace* space_;
  RoleReader objects_;
  uint32_t object_ = 0;
  std::string label_;  // of object_; empty if it has none
  // Subject id (big-endian), slot, label.
  StringSorter found_;
};

}  // namespace weft::rete::build
