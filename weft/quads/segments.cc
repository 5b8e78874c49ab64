#include "weft/quads/segments.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace weft::quads {
namespace {

std::string place_of(size_t entry, manifest::Role role) {
  return "log[" + std::to_string(entry) + "]." + std::string(manifest::role_name(role));
}

}  // namespace

Result<std::shared_ptr<rete::Segment>> SegmentSet::open_slot(const Slot& slot) const {
  const auto located = [&slot](Error error) {
    if (error.fact("segment").empty()) {
      error.add("segment", slot.address);
    }
    error.add("place", slot.place);
    return error;
  };
  Result<std::unique_ptr<storage::ObjectReader>> reader = opener_->open(slot.address);
  if (!reader.ok()) {
    return located(std::move(reader).error());
  }
  // The size first: it costs nothing, and another size is the plainest thing to say.
  if (slot.pin.has_value() && (*reader)->size() != slot.pin->size_bytes) {
    return located(Error(ErrorKind::kCorrupt, "segment does not match its manifest pin")
                       .with("size_bytes", (*reader)->size())
                       .with("pinned_size_bytes", slot.pin->size_bytes));
  }
  rete::SegmentOptions options = options_;
  Result<std::shared_ptr<rete::Segment>> segment =
      rete::Segment::open(std::move(reader).value(), options);
  if (!segment.ok()) {
    return located(std::move(segment).error());
  }
  const codec::Digest16& hash = (*segment)->facts().content_hash;
  if (slot.pin.has_value() && hash != slot.pin->hash) {
    return located(Error(ErrorKind::kCorrupt, "segment does not match its manifest pin")
                       .with("blake3_16", manifest::hash_text(hash))
                       .with("pinned_blake3_16", manifest::hash_text(slot.pin->hash)));
  }
  return segment;
}

Status SegmentSet::open_all(base::Executor& executor) {
  std::vector<std::string> addresses;
  addresses.reserve(slots_.size());
  for (const Slot& slot : slots_) {
    addresses.push_back(slot.address);
  }
  opener_->prefetch(addresses);
  WEFT_TRY_STATUS(executor.for_each(slots_.size(), [this](size_t index) -> Status {
    Slot& slot = slots_[index];
    WEFT_TRY(std::shared_ptr<rete::Segment> segment, open_slot(slot));
    slot.facts = segment->facts();
    slot.is_checked = segment->is_checked();
    slot.is_remote = segment->is_remote();
    if (index < kOpenSegmentsMax) {
      slot.open = std::move(segment);
    }
    return ok_status();
  }));
  has_remote_ = std::ranges::any_of(slots_, &Slot::is_remote);
  return ok_status();
}

Result<std::unique_ptr<SegmentSet>> SegmentSet::open(const std::vector<manifest::LogEntry>& log,
                                                     const std::string& manifest_address,
                                                     manifest::ObjectOpener& opener,
                                                     const FoldResources& resources) {
  if (log.size() > kLogEntriesMax) {
    return Error(ErrorKind::kLimit, "the log has too many entries: `weft manifest compact`")
        .with("entries", log.size())
        .with("entries_max", kLogEntriesMax);
  }
  auto set = std::make_unique<SegmentSet>();
  set->opener_ = &opener;
  set->options_ = {.cache = resources.cache,
                   .executor = resources.executor,
                   .verdicts = resources.verdicts,
                   .verify = resources.verify,
                   .expected_hash = {},
                   .expected_size = {}};
  if (set->options_.cache == nullptr) {
    set->options_.cache = std::make_shared<rete::BlockCache>();
  }
  std::map<std::tuple<std::string, uint64_t, codec::Digest16>, size_t> known;
  for (size_t entry = 0; entry < log.size(); ++entry) {
    for (const manifest::Role role : {manifest::Role::kDels, manifest::Role::kAdds}) {
      const std::optional<manifest::SegmentPin>& pin =
          role == manifest::Role::kAdds ? log[entry].adds : log[entry].dels;
      if (!pin.has_value()) {
        continue;
      }
      const auto [slot, is_new] =
          known.try_emplace({pin->url, pin->size_bytes, pin->hash}, set->slots_.size());
      if (is_new) {
        Slot fresh;
        fresh.address = manifest::resolve(manifest_address, pin->url);
        fresh.pin = pin;
        fresh.place = place_of(entry, role);
        set->slots_.push_back(std::move(fresh));
      }
      set->uses_.push_back({.entry = entry, .role = role, .segment = slot->second});
    }
  }
  base::InlineExecutor inline_executor;
  base::Executor& executor = resources.executor != nullptr ? *resources.executor : inline_executor;
  WEFT_TRY_STATUS(set->open_all(executor));
  return set;
}

std::unique_ptr<SegmentSet> SegmentSet::of_open(
    std::vector<std::shared_ptr<rete::Segment>> segments, std::vector<SegmentUse> uses) {
  auto set = std::make_unique<SegmentSet>();
  for (std::shared_ptr<rete::Segment>& segment : segments) {
    Slot slot;
    slot.address = segment->name();
    slot.facts = segment->facts();
    slot.is_checked = segment->is_checked();
    slot.is_remote = segment->is_remote();
    slot.open = std::move(segment);
    set->slots_.push_back(std::move(slot));
  }
  set->has_remote_ = std::ranges::any_of(set->slots_, &Slot::is_remote);
  set->uses_ = std::move(uses);
  return set;
}

Result<std::shared_ptr<rete::Segment>> SegmentSet::segment(size_t index) {
  {
    const base::MutexLock lock(mutex_);
    if (slots_[index].open != nullptr) {
      return slots_[index].open;
    }
  }
  return open_slot(slots_[index]);
}

void SegmentSet::close(size_t index) {
  std::shared_ptr<rete::Segment> closed;
  const base::MutexLock lock(mutex_);
  if (opener_ != nullptr) {
    std::swap(closed, slots_[index].open);
  }
}

}  // namespace weft::quads
