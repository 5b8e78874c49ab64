#include "weft/exec/value_cache.h"

#include <algorithm>
#include <utility>

namespace weft::exec {
namespace {

constexpr size_t kSlotsMin = 1'024;

// Kinds whose token may not come back from the value as it was.
bool may_be_written_otherwise(rdf::ValueKind kind) {
  return kind >= rdf::ValueKind::kBoolean && kind <= rdf::ValueKind::kDayTimeDuration;
}

}  // namespace

ValueCache::ValueCache(QuadSource& source, const TermPool& pool, base::MemoryBudget* budget,
                       uint64_t holders)
    : source_(source),
      pool_(pool),
      charge_(budget),
      held_bytes_max_(budget->limit_bytes() / kShareOfBudget / holders) {}

size_t ValueCache::slot_of(rdf::TermId id) const {
  const size_t mask = slots_.size() - 1;
  uint64_t hash = id * 0x9e3779b97f4a7c15ULL;
  hash ^= hash >> 32U;
  size_t slot = hash & mask;
  while (slots_[slot].number != 0 && slots_[slot].id != id) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void ValueCache::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  entries_.clear();
  text_bytes_ = 0;
  charge_.shrink(slots_.size() * sizeof(Slot));
}

Status ValueCache::grow() {
  if ((entries_.size() + 1) * 2 <= slots_.size()) {
    return ok_status();
  }
  const size_t size = std::max(kSlotsMin, slots_.size() * 2);
  WEFT_TRY_STATUS(charge_.cover(charge_.held_bytes() + size * sizeof(Slot)));
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(size));
  for (const Slot& slot : before) {
    if (slot.number != 0) {
      slots_[slot_of(slot.id)] = slot;
    }
  }
  return ok_status();
}

Status ValueCache::add(rdf::TermId id, std::string_view token) {
  WEFT_TRY_STATUS(grow());
  Entry entry;
  entry.value = rdf::Value::from_token(token);
  text_bytes_ += token.size();  // held by the value, near enough
  if (may_be_written_otherwise(entry.value.kind()) && entry.value.to_token() != token) {
    entry.raw = token;
    text_bytes_ += entry.raw.size();
  }
  entries_.push_back(std::move(entry));
  slots_[slot_of(id)] = {id, static_cast<uint32_t>(entries_.size())};
  return charge_.cover(slots_.size() * sizeof(Slot) + entries_.size() * sizeof(Entry) +
                       text_bytes_);
}

Status ValueCache::load(std::span<const Column* const> columns) {
  if (entries_.size() * sizeof(Entry) + text_bytes_ > held_bytes_max_) {
    clear();
  }
  if (slots_.empty()) {
    WEFT_TRY_STATUS(grow());
  }
  std::vector<rdf::TermId> stored;
  std::string token;
  for (const Column* column : columns) {
    rdf::TermId last = rdf::kNoTerm;
    for (const rdf::TermId id : *column) {
      if (id == last || id == rdf::kNoTerm || slots_[slot_of(id)].number != 0) {
        continue;
      }
      last = id;
      if (is_computed(id)) {
        token.clear();
        pool_.append_token(id, token);
        WEFT_TRY_STATUS(add(id, token));
      } else {
        stored.push_back(id);
      }
    }
  }
  if (stored.empty()) {
    return ok_status();
  }
  std::sort(stored.begin(), stored.end());
  stored.erase(std::unique(stored.begin(), stored.end()), stored.end());
  Status added = ok_status();
  WEFT_TRY_STATUS(source_.visit_tokens(stored, [&](size_t i, std::string_view text) {
    if (added.ok()) {
      added = add(stored[i], text);
    }
  }));
  return added;
}

Cell ValueCache::find(rdf::TermId id) const {
  if (id == rdf::kNoTerm) {
    return {&undefined_, nullptr};
  }
  const Entry& entry = entries_[slots_[slot_of(id)].number - 1];
  return {&entry.value, entry.raw.empty() ? nullptr : &entry.raw};
}

}  // namespace weft::exec
