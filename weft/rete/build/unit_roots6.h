// The unit roots of generation 6: what the root block says of dictionary, index, quads, labels and
// text. Format: docs/formats/rete.md, "Unit root".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "weft/rete/build/directory_leaves.h"
#include "weft/rete/build/segment_parts.h"

namespace weft::rete::build {

// The blocks of the graph directory at the start of section 4, and their index.
struct GraphDirectory {
  std::string blocks;
  std::string index;
  uint64_t raw_max = 0;
};
inline constexpr size_t kGraphsPerBlock = 1024;
GraphDirectory make_graph_directory(std::span<const GraphCount> graphs, const BlockCodec& codec);

// The groups of a segment's directories in the sequence fit_root() wants: dictionary 3, 0, 1, 2,
// index orders, quad orders, tokens. Keeps pointers into `parts`.
class Directories6 {
 public:
  Directories6(const SegmentParts& parts, const GraphDirectory& graphs, uint64_t restart_interval,
               const BlockCodec& codec);
  Directories6(const Directories6&) = delete;
  Directories6& operator=(const Directories6&) = delete;
  ~Directories6() = default;

  std::span<DirectoryGroup> groups() { return groups_; }
  std::vector<UnitRoot> units() const;

  // Leaf blocks of one kind: sections 2, 3, 4 (behind the graph directory) and 6.
  std::vector<const LeafBlocks*> dictionary_leaves() const { return leaves(0, 4); }
  std::vector<const LeafBlocks*> index_leaves() const { return leaves(4, parts_->triples.size()); }
  std::vector<const LeafBlocks*> quad_leaves() const {
    return leaves(4 + parts_->triples.size(), parts_->quads.size());
  }
  std::vector<const LeafBlocks*> text_leaves() const {
    return leaves(4 + parts_->triples.size() + parts_->quads.size(), parts_->text ? 1 : 0);
  }

 private:
  std::vector<const LeafBlocks*> leaves(size_t first, size_t count) const;
  std::string dictionary_root() const;
  std::string index_root() const;
  std::string quad_root() const;
  static std::string label_root(const LabelParts& labels);
  std::string text_root(const TextParts& text) const;

  const SegmentParts* parts_;
  const GraphDirectory* graphs_;
  uint64_t restart_interval_;
  std::vector<DirectoryGroup> groups_;
  // First tokens of the text index's leaves, as cut last.
  std::vector<std::string> leaf_tokens_;
};

}  // namespace weft::rete::build
