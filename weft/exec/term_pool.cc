#include "weft/exec/term_pool.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <optional>

namespace weft::exec {
namespace {

using rdf::TermId;

// Bits 60 to 62 of a computed id say what it is.
constexpr unsigned kTagShift = 60;
constexpr TermId kPayloadMask = (TermId{1} << kTagShift) - 1;
// Of an entry: the pool that gave it, and its place there.
constexpr unsigned kLayerShift = 32;
constexpr TermId kIndexMask = (TermId{1} << kLayerShift) - 1;
constexpr TermId kTagEntry = 0;
constexpr TermId kTagInteger = 1;
constexpr TermId kTagBoolean = 2;
constexpr int64_t kInlineMax = (int64_t{1} << (kTagShift - 1)) - 1;
constexpr int64_t kInlineMin = -kInlineMax - 1;

constexpr std::string_view kIntegerTail = "\"^^<http://www.w3.org/2001/XMLSchema#integer>";
constexpr std::string_view kTrue = "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>";
constexpr std::string_view kFalse = "\"false\"^^<http://www.w3.org/2001/XMLSchema#boolean>";

constexpr size_t kBlockBytes = size_t{64} << 10U;
constexpr size_t kSlotsMin = 64;

TermId tagged(TermId tag, TermId payload) {
  return rdf::kFirstComputedTerm | (tag << kTagShift) | (payload & kPayloadMask);
}

TermId tag_of(TermId id) {
  return (id >> kTagShift) & 7U;
}

uint32_t layer_of(TermId id) {
  return static_cast<uint32_t>((id & kPayloadMask) >> kLayerShift);
}

TermId entry_id(uint32_t layer, size_t index) {
  return tagged(kTagEntry, (TermId{layer} << kLayerShift) | index);
}

int64_t integer_of(TermId id) {
  const auto shifted = static_cast<int64_t>(id << (64 - kTagShift));
  return shifted >> (64 - kTagShift);
}

// Of "N"^^xsd:integer with N as std::to_string would write it.
std::optional<int64_t> canonical_integer(std::string_view token) {
  if (token.size() <= kIntegerTail.size() + 1 || token.front() != '"' ||
      !token.ends_with(kIntegerTail)) {
    return std::nullopt;
  }
  const std::string_view digits = token.substr(1, token.size() - 1 - kIntegerTail.size());
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const size_t first_digit = digits.front() == '-' ? 1 : 0;
  const bool canonical = error == std::errc() && end == digits.data() + digits.size() &&
                         (digits == "0" || digits[first_digit] != '0');
  if (!canonical || value < kInlineMin || value > kInlineMax) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

TermPool::TermPool(base::MemoryBudget* budget, const TermPool* below, uint32_t layer)
    : charge_(budget), below_(below), layer_(layer) {}

std::optional<size_t> TermPool::own_index(TermId id) const {
  if (!is_computed(id) || tag_of(id) != kTagEntry || layer_of(id) != layer_) {
    return std::nullopt;
  }
  return id & kIndexMask;
}

bool TermPool::is_inline_integer(TermId id, int64_t& value) {
  if (!is_computed(id) || tag_of(id) != kTagInteger) {
    return false;
  }
  value = integer_of(id);
  return true;
}

Status TermPool::cover() {
  return charge_.cover(block_bytes_ + entries_.capacity() * sizeof(Entry) +
                       slots_.capacity() * sizeof(uint32_t) + answers_.capacity() * sizeof(Answer));
}

Result<const char*> TermPool::keep(std::string_view token) {
  if (token.size() > block_size_ - block_used_) {
    const size_t size = std::max(kBlockBytes, token.size());
    WEFT_TRY_STATUS(charge_.cover(charge_.held_bytes() + size));
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    block_bytes_ += size;
    block_size_ = size;
    block_used_ = 0;
  }
  char* data = blocks_.back().get() + block_used_;
  std::memcpy(data, token.data(), token.size());
  block_used_ += token.size();
  return static_cast<const char*>(data);
}

Status TermPool::grow_slots() {
  const size_t size = std::max(kSlotsMin, slots_.size() * 2);
  WEFT_TRY_STATUS(
      charge_.cover(charge_.held_bytes() + size * sizeof(uint32_t) + (size / 2) * sizeof(Entry)));
  entries_.reserve(size / 2);
  slots_.assign(size, 0);
  for (size_t index = 0; index < entries_.size(); ++index) {
    size_t slot = entries_[index].hash & (size - 1);
    while (slots_[slot] != 0) {
      slot = (slot + 1) & (size - 1);
    }
    slots_[slot] = static_cast<uint32_t>(index + 1);
  }
  return cover();
}

Result<TermId> TermPool::intern(std::string_view token) {
  if (const std::optional<int64_t> integer = canonical_integer(token)) {
    return tagged(kTagInteger, static_cast<TermId>(*integer));
  }
  if (token == kTrue || token == kFalse) {
    return tagged(kTagBoolean, token == kTrue ? 1 : 0);
  }
  if (token.size() > UINT32_MAX) {
    return Error(ErrorKind::kLimit, "computed term is too long").with("bytes", token.size());
  }
  const auto hash = static_cast<uint32_t>(std::hash<std::string_view>()(token));
  if (const TermId id = known(token, hash); id != rdf::kNoTerm) {
    return id;
  }
  if ((entries_.size() + 1) * 2 > slots_.size()) {
    WEFT_TRY_STATUS(grow_slots());
  }
  size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  WEFT_TRY(const char* data, keep(token));
  entries_.push_back({data, static_cast<uint32_t>(token.size()), hash});
  slots_[slot] = static_cast<uint32_t>(entries_.size());
  return entry_id(layer_, entries_.size() - 1);
}

// Its own terms first: one that `below` learned later keeps the id it was given here.
TermId TermPool::known(std::string_view token, uint32_t hash) const {
  if (!slots_.empty()) {
    const size_t mask = slots_.size() - 1;
    for (size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
      const Entry& entry = entries_[slots_[slot] - 1];
      if (entry.hash == hash && std::string_view(entry.data, entry.size) == token) {
        return entry_id(layer_, slots_[slot] - 1);
      }
    }
  }
  return below_ != nullptr ? below_->known(token, hash) : rdf::kNoTerm;
}

void TermPool::append_token(TermId id, std::string& out) const {
  const TermId tag = tag_of(id);
  if (tag == kTagInteger) {
    out += '"';
    out += std::to_string(integer_of(id));
    out += kIntegerTail;
  } else if (tag == kTagBoolean) {
    out += (id & 1U) != 0 ? kTrue : kFalse;
  } else if (below_ != nullptr && layer_of(id) != layer_) {
    below_->append_token(id, out);
  } else {
    const Entry& entry = entries_[id & kIndexMask];
    out.append(entry.data, entry.size);
  }
}

TermId TermPool::resolved(TermId id) const {
  if (!answers_.empty()) {
    const size_t mask = answers_.size() - 1;
    for (size_t slot = (id * 0x9e3779b97f4a7c15ULL >> 20U) & mask; answers_[slot].id != 0;
         slot = (slot + 1) & mask) {
      if (answers_[slot].id == id) {
        return answers_[slot].stored;
      }
    }
  }
  return below_ != nullptr ? below_->resolved(id) : rdf::kNoTerm;
}

Status TermPool::set_resolved(TermId id, TermId stored) {
  if ((answer_count_ + 1) * 2 > answers_.size()) {
    const size_t size = std::max(kSlotsMin, answers_.size() * 2);
    WEFT_TRY_STATUS(charge_.cover(charge_.held_bytes() + size * sizeof(Answer)));
    std::vector<Answer> old = std::move(answers_);
    answers_.assign(size, Answer{0, 0});
    answer_count_ = 0;
    for (const Answer& answer : old) {
      if (answer.id != 0) {
        WEFT_TRY_STATUS(set_resolved(answer.id, answer.stored));
      }
    }
  }
  const size_t mask = answers_.size() - 1;
  size_t slot = (id * 0x9e3779b97f4a7c15ULL >> 20U) & mask;
  while (answers_[slot].id != 0 && answers_[slot].id != id) {
    slot = (slot + 1) & mask;
  }
  if (answers_[slot].id == 0) {
    ++answer_count_;
  }
  answers_[slot] = {id, stored};
  return ok_status();
}

}  // namespace weft::exec
