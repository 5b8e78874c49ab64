// Blocks and nodes of the label index, from labels in order. Format: docs/formats/rete.md, "Label
// index".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/segment_parts.h"

namespace weft::rete::build {

struct LabelEntryView {
  std::string_view key;      // the label in lower case
  std::string_view subject;  // token
  std::string_view label;
};

// One string that sorts as (key, subject) does, with the label behind. Any bytes may occur.
std::string pack_label(const LabelEntryView& entry);
struct UnpackedLabel {
  std::string key;
  std::string subject;
  std::string label;
};
UnpackedLabel unpack_label(std::string_view packed);

// What stands in front of the stored root node in either generation: version, levels, counts.
std::string label_head(const LabelParts& parts);

// Not thread-safe.
class LabelBlockWriter {
 public:
  explicit LabelBlockWriter(const BuildSpace& space) : space_(&space), parts_(space) {}
  // Ascending by (key, subject).
  Status add(const LabelEntryView& entry);
  // nullopt if nothing was added. Errors: kLimit if the directory would be too deep.
  Result<std::optional<LabelParts>> finish();

 private:
  struct Child {
    std::string first_key;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    uint64_t entries = 0;
  };
  Status close_block();
  static std::string encode_node(const Child* begin, const Child* end);

  const BuildSpace* space_;
  LabelParts parts_;
  std::vector<Child> children_;
  std::string block_;
  uint64_t block_entries_ = 0;
  std::string first_key_;
  std::string previous_label_;
  std::string previous_subject_;
};

}  // namespace weft::rete::build
