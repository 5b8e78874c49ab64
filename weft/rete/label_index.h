// The label index: from the beginning of a label to its subjects. A tree of nodes over blocks of
// entries; all bytes beyond the root lie in a virtual body that one or two sections make up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rete/block_loader.h"
#include "weft/rete/format.h"
#include "weft/storage/object_store.h"

namespace weft::rete {

// Thread-safe. The loader must outlive it.
class LabelIndex {
 public:
  static constexpr uint8_t kLevelsMax = 5;

  // Generation 6: the unit root, sections 19 and 5.
  static Result<std::unique_ptr<LabelIndex>> parse6(BlockLoader& loader, std::string_view payload,
                                                    storage::Range blocks, storage::Range nodes,
                                                    Codec codec);
  // Generation 5: the section, behind its digest.
  static Result<std::unique_ptr<LabelIndex>> read5(BlockLoader& loader, storage::Range section,
                                                   Codec codec);

  uint64_t entry_count() const { return entry_count_; }

  // Calls `visit` for every entry whose key begins with `prefix`, ascending, until it says stop
  // (false).
  struct Entry {
    std::string key;
    std::string label;
    std::string subject;
  };
  using Visit = std::function<bool(const Entry& entry)>;
  Status for_each(std::string_view prefix, const Visit& visit);

 private:
  struct Child {
    std::string first_key;
    uint64_t offset = 0;  // within the body
    uint64_t size = 0;
    uint64_t entries = 0;  // below it
  };
  using Node = std::vector<Child>;
  class Walk;

  explicit LabelIndex(BlockLoader& loader) : loader_(loader) {}
  // `head` from its version byte on. Moves behind it.
  Status parse_head(std::string_view head, Codec codec, size_t& head_size);
  Result<Node> parse_node(std::string_view raw) const;
  Result<std::string> read(uint64_t offset, uint64_t size);

  BlockLoader& loader_;
  Codec codec_ = Codec::kNone;
  uint8_t levels_ = 0;
  uint64_t entry_count_ = 0;
  Node root_;
  storage::Range body_[2];
};

}  // namespace weft::rete
