#include "weft/rete/label_index.h"

#include <algorithm>
#include <utility>

#include "weft/codec/varint.h"
#include "weft/rete/damage.h"
#include "weft/rete/lower_case.h"

namespace weft::rete {
namespace {

using storage::Range;

constexpr uint64_t kRootBytesMax = uint64_t{16} << 20U;
constexpr size_t kDigestBytes = 16;
// Version, levels, two zero bytes, entry count, length of the root node.
constexpr size_t kHeadBytes = 16;

Error bad(const char* reason) {
  return Error(ErrorKind::kCorrupt, "damaged label index").with("reason", reason);
}

// A front-coded string; `text` is the one before. False if it is impossible.
bool next_string(codec::ByteReaderView& reader, std::string& text) {
  const uint64_t shared = reader.varint();
  const std::string_view suffix = as_text(reader.length_prefixed());
  if (!reader.ok() || shared > text.size()) {
    return false;
  }
  text.resize(shared);
  text.append(suffix);
  return true;
}

}  // namespace

Status LabelIndex::parse_head(std::string_view head, Codec codec, size_t& head_size) {
  codec_ = codec;
  codec::ByteReaderView reader(as_bytes(head));
  const uint8_t version = reader.u8();
  levels_ = reader.u8();
  const uint16_t zero = reader.u16();
  entry_count_ = reader.u64();
  const uint32_t root_size = reader.u32();
  const ByteView root = reader.bytes(root_size);
  if (!reader.ok() || levels_ > kLevelsMax || zero != 0) {
    return bad("head is malformed");
  }
  if (version != 1) {
    return Error(ErrorKind::kUnsupported, "cannot read the label index")
        .with("version", uint64_t{version});
  }
  head_size = reader.position();
  WEFT_TRY(const std::string raw, decompress(codec, root, kRootBytesMax));
  WEFT_TRY(root_, parse_node(raw));
  uint64_t entries = 0;
  for (const Child& child : root_) {
    entries += child.entries;
  }
  return entries == entry_count_ ? ok_status() : Status(bad("entries do not add up"));
}

Result<LabelIndex::Node> LabelIndex::parse_node(std::string_view raw) const {
  codec::ByteReaderView reader(as_bytes(raw));
  constexpr size_t kChildBytesMin = 5;
  const uint64_t count = reader.count(kChildBytesMin);
  Node node;
  std::string key;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string before = key;
    if (!next_string(reader, key) || key < before) {
      return bad("keys of a node do not ascend");
    }
    Child child{.first_key = key};
    child.offset = reader.varint();
    child.size = reader.varint();
    child.entries = reader.varint();
    if (!reader.ok() || child.size == 0 || child.entries == 0 || child.entries > entry_count_) {
      return bad("child of a node is impossible");
    }
    node.push_back(std::move(child));
  }
  return reader.remaining() == 0 && count > 0 ? Result<Node>(std::move(node))
                                              : Result<Node>(bad("node is malformed"));
}

Result<std::unique_ptr<LabelIndex>> LabelIndex::parse6(BlockLoader& loader,
                                                       std::string_view payload, Range blocks,
                                                       Range nodes, Codec codec) {
  std::unique_ptr<LabelIndex> index(new LabelIndex(loader));
  codec::ByteReaderView reader(as_bytes(payload));
  const uint64_t data_size = reader.varint();
  const std::string_view head = as_text(reader.length_prefixed());
  if (!reader.ok() || reader.remaining() != 0 || data_size != blocks.size ||
      head.size() < kDigestBytes + kHeadBytes) {
    return bad("unit root is malformed");
  }
  size_t head_size = 0;
  WEFT_TRY_STATUS(index->parse_head(head.substr(kDigestBytes), codec, head_size));
  if (kDigestBytes + head_size != head.size()) {
    return bad("bytes behind the root node");
  }
  index->body_[0] = blocks;
  index->body_[1] = nodes;
  return index;
}

Result<std::unique_ptr<LabelIndex>> LabelIndex::read5(BlockLoader& loader, Range section,
                                                      Codec codec) {
  std::unique_ptr<LabelIndex> index(new LabelIndex(loader));
  if (section.size < kHeadBytes) {
    return bad("cut short");
  }
  WEFT_TRY(const storage::Buffer head, loader.file().read_one({section.offset, kHeadBytes}));
  codec::ByteReaderView reader(head.view().last(4));
  const uint64_t whole = kHeadBytes + uint64_t{reader.u32()};
  if (whole > section.size) {
    return bad("cut short");
  }
  WEFT_TRY(const storage::Buffer root, loader.file().read_one({section.offset, whole}));
  size_t head_size = 0;
  WEFT_TRY_STATUS(index->parse_head(as_text(root.view()), codec, head_size));
  index->body_[0] = {section.offset + whole, section.size - whole};
  return index;
}

Result<std::string> LabelIndex::read(uint64_t offset, uint64_t size) {
  const Range body = offset < body_[0].size ? body_[0] : body_[1];
  const uint64_t within = offset < body_[0].size ? offset : offset - body_[0].size;
  if (within > body.size || size > body.size - within) {
    return bad("block is out of its place");
  }
  WEFT_TRY(const storage::Buffer stored, loader_.file().read_one({body.offset + within, size}));
  return decompress(codec_, stored.view(), kBlockBytesDefaultMax);
}

// One search: descends into the children that can hold the prefix.
class LabelIndex::Walk {
 public:
  Walk(LabelIndex& index, std::string_view prefix, const Visit& visit)
      : index_(index), prefix_(prefix), visit_(visit) {}

  // False once everything wanted was seen.
  Result<bool> node(const Node& node, uint8_t level) {
    // Equal keys may fill several children: the first that can hold the prefix is the last one that
    // begins before it.
    const auto behind = std::partition_point(
        node.begin(), node.end(), [&](const Child& child) { return child.first_key < prefix_; });
    for (auto child = behind == node.begin() ? behind : std::prev(behind); child != node.end();
         ++child) {
      if (is_past(child->first_key)) {
        return false;
      }
      WEFT_TRY(const std::string raw, index_.read(child->offset, child->size));
      bool more = true;
      if (level == 0) {
        WEFT_TRY(more, block(raw, *child));
      } else {
        WEFT_TRY(const Node below, index_.parse_node(raw));
        if (below.front().first_key != child->first_key) {
          return bad("node does not begin where its parent says");
        }
        WEFT_TRY(more, this->node(below, static_cast<uint8_t>(level - 1)));
      }
      if (!more) {
        return false;
      }
    }
    return true;
  }

 private:
  bool is_past(std::string_view key) const { return key > prefix_ && !key.starts_with(prefix_); }

  Result<bool> block(std::string_view raw, const Child& child) {
    codec::ByteReaderView reader(as_bytes(raw));
    constexpr size_t kEntryBytesMin = 4;
    const uint64_t count = reader.count(kEntryBytesMin);
    if (count != child.entries) {
      return bad("block holds another number of entries than its parent says");
    }
    // Entries are sorted by the lower case of their labels, as the writer's version of Unicode had
    // it: that order is not checked here.
    std::vector<Entry> wanted;
    std::string label;
    std::string subject;
    for (uint64_t i = 0; i < count; ++i) {
      if (!next_string(reader, label) || !next_string(reader, subject)) {
        return bad("entry of a block is malformed");
      }
      std::string key = to_lower_case(label);
      if (key.starts_with(prefix_)) {
        wanted.push_back({std::move(key), label, subject});
      }
    }
    if (reader.remaining() != 0) {
      return bad("bytes behind the last entry");
    }
    for (const Entry& entry : wanted) {
      if (!visit_(entry)) {
        return false;
      }
    }
    return true;
  }

  LabelIndex& index_;
  std::string_view prefix_;
  const Visit& visit_;
};

Status LabelIndex::for_each(std::string_view prefix, const Visit& visit) {
  if (root_.empty()) {
    return ok_status();
  }
  Walk walk(*this, prefix, visit);
  Result<bool> done = walk.node(root_, levels_);
  if (done.ok()) {
    return ok_status();
  }
  if (done.error().kind() == ErrorKind::kCorrupt && done.error().fact("file").empty()) {
    return damage("damaged label index", loader_.file().name(), "labels", body_[0].offset)
        .with("reason", done.error().fact("reason"));
  }
  return std::move(done).error();
}

}  // namespace weft::rete
