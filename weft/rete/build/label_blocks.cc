#include "weft/rete/build/label_blocks.h"

#include <algorithm>

#include "weft/codec/varint.h"

namespace weft::rete::build {
namespace {

constexpr size_t kBlockBytes = 16384;
constexpr size_t kNodeChildrenMax = 1024;
constexpr uint8_t kLevelsMax = 5;

// Within a packed part a zero byte is followed by 0xFF; two zero bytes end the part. So a part that
// is a prefix of another one sorts first, whatever follows.
void append_part(std::string& out, std::string_view part) {
  for (const char c : part) {
    out.push_back(c);
    if (c == '\0') {
      out.push_back('\xFF');
    }
  }
  out.append(2, '\0');
}

std::string take_part(std::string_view& rest) {
  std::string part;
  while (rest[0] != '\0' || rest[1] != '\0') {
    part.push_back(rest[0]);
    rest.remove_prefix(rest[0] == '\0' ? 2 : 1);
  }
  rest.remove_prefix(2);
  return part;
}

bool is_continuation(char c) {
  return (static_cast<uint8_t>(c) & 0xC0U) == 0x80;
}

// What `current` shares with `previous`, not cutting a character.
void append_front_coded(std::string& out, std::string_view previous, std::string_view current) {
  size_t shared = 0;
  const size_t end = std::min(previous.size(), current.size());
  while (shared < end && previous[shared] == current[shared]) {
    ++shared;
  }
  while (shared > 0 && shared < current.size() && is_continuation(current[shared])) {
    --shared;
  }
  codec::append_varint(out, shared);
  codec::append_length_prefixed(out, current.substr(shared));
}

}  // namespace

std::string pack_label(const LabelEntryView& entry) {
  std::string packed;
  append_part(packed, entry.key);
  append_part(packed, entry.subject);
  packed += entry.label;
  return packed;
}

UnpackedLabel unpack_label(std::string_view packed) {
  UnpackedLabel label;
  label.key = take_part(packed);
  label.subject = take_part(packed);
  label.label = packed;
  return label;
}

std::string label_head(const LabelParts& parts) {
  constexpr uint8_t kVersion = 1;
  std::string head;
  head.push_back(static_cast<char>(kVersion));
  head.push_back(static_cast<char>(parts.levels));
  codec::append_u16(head, 0);
  codec::append_u64(head, parts.entry_count);
  codec::append_u32(head, static_cast<uint32_t>(parts.root.size()));
  return head;
}

Status LabelBlockWriter::add(const LabelEntryView& entry) {
  if (block_entries_ == 0) {
    first_key_ = entry.key;
    previous_label_.clear();
    previous_subject_.clear();
  }
  append_front_coded(block_, previous_label_, entry.label);
  append_front_coded(block_, previous_subject_, entry.subject);
  previous_label_ = entry.label;
  previous_subject_ = entry.subject;
  ++block_entries_;
  ++parts_.entry_count;
  return block_.size() >= kBlockBytes ? close_block() : ok_status();
}

Status LabelBlockWriter::close_block() {
  std::string raw;
  codec::append_varint(raw, block_entries_);
  raw += block_;
  std::string stored;
  space_->codec.store(as_bytes(raw), stored);
  children_.push_back({first_key_, parts_.blocks.size(), stored.size(), block_entries_});
  WEFT_TRY_STATUS(parts_.blocks.append(as_bytes(stored)));
  block_.clear();
  block_entries_ = 0;
  return ok_status();
}

std::string LabelBlockWriter::encode_node(const Child* begin, const Child* end) {
  std::string raw;
  codec::append_varint(raw, static_cast<uint64_t>(end - begin));
  std::string_view previous;
  for (const Child* child = begin; child != end; ++child) {
    append_front_coded(raw, previous, child->first_key);
    codec::append_varint(raw, child->offset);
    codec::append_varint(raw, child->bytes);
    codec::append_varint(raw, child->entries);
    previous = child->first_key;
  }
  return raw;
}

Result<std::optional<LabelParts>> LabelBlockWriter::finish() {
  if (block_entries_ > 0) {
    WEFT_TRY_STATUS(close_block());
  }
  if (children_.empty()) {
    return std::optional<LabelParts>();
  }
  std::string stored;
  while (children_.size() > kNodeChildrenMax) {
    if (parts_.levels == kLevelsMax) {
      return Error(ErrorKind::kLimit, "too many labels for the label index")
          .with("labels", parts_.entry_count);
    }
    std::vector<Child> parents;
    for (size_t begin = 0; begin < children_.size(); begin += kNodeChildrenMax) {
      const size_t end = std::min(begin + kNodeChildrenMax, children_.size());
      space_->codec.store(as_bytes(encode_node(&children_[begin], children_.data() + end)), stored);
      Child parent{children_[begin].first_key, parts_.blocks.size() + parts_.nodes.size(),
                   stored.size(), 0};
      for (size_t i = begin; i < end; ++i) {
        parent.entries += children_[i].entries;
      }
      parents.push_back(std::move(parent));
      WEFT_TRY_STATUS(parts_.nodes.append(as_bytes(stored)));
    }
    children_ = std::move(parents);
    ++parts_.levels;
  }
  space_->codec.store(as_bytes(encode_node(children_.data(), children_.data() + children_.size())),
                      parts_.root);
  return std::optional<LabelParts>(std::move(parts_));
}

}  // namespace weft::rete::build
