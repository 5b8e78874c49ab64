// The segments that a log names, opened and pinned.
//
// A segment that stands in the log several times is opened once. All are opened at once, over the
// executor: one small read each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/executor.h"
#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/manifest/address.h"
#include "weft/manifest/document.h"
#include "weft/rete/segment.h"

namespace weft::quads {

// What a fold may use; shared by all of one process. Everything must outlive the fold.
struct FoldResources {
  base::Executor* executor = nullptr;  // null: the caller's thread
  // Of overlays and of the rows of scans that overlays touch. Null: a budget of its own of
  // kOverlayBytesDefaultMax.
  base::MemoryBudget* budget = nullptr;
  // Decoded blocks. Null: a small cache of its own.
  std::shared_ptr<rete::BlockCache> cache;
  std::shared_ptr<rete::VerdictStore> verdicts;
  rete::VerifyPolicy verify = rete::VerifyPolicy::kLocalFiles;
};

inline constexpr uint64_t kOverlayBytesDefaultMax = uint64_t{256} << 20U;
// Segments beyond this number are closed after their pin was checked, and opened again when they
// are needed: a process may hold only so many files open.
inline constexpr size_t kOpenSegmentsMax = 384;

// When something happens in the order of a log; a later stamp wins. Deletions of an entry come
// before its additions, so additions are odd.
using Stamp = uint32_t;
constexpr Stamp stamp_of(size_t entry, manifest::Role role) {
  return static_cast<Stamp>(2 * entry + (role == manifest::Role::kAdds ? 1 : 0));
}
constexpr bool adds(Stamp stamp) {
  return (stamp & 1U) != 0;
}
// Entries of a log: stamps have 32 bits.
inline constexpr size_t kLogEntriesMax = size_t{1} << 24U;

// One place in the log.
struct SegmentUse {
  size_t entry = 0;
  manifest::Role role = manifest::Role::kAdds;
  size_t segment = 0;  // index into SegmentSet
  Stamp stamp() const { return stamp_of(entry, role); }
};

// Thread-safe.
class SegmentSet {
 public:
  // Opens and checks the pins of all segments of `log`. Errors: kCorrupt if one does not match its
  // pin, kNotFound, kDenied, kUnavailable, each with facts segment and place ("log[3].dels");
  // kLimit.
  static Result<std::unique_ptr<SegmentSet>> open(const std::vector<manifest::LogEntry>& log,
                                                  const std::string& manifest_address,
                                                  manifest::ObjectOpener& opener,
                                                  const FoldResources& resources);
  // Segments that are open already, without pins; `uses` ascend by stamp and index into `segments`.
  static std::unique_ptr<SegmentSet> of_open(std::vector<std::shared_ptr<rete::Segment>> segments,
                                             std::vector<SegmentUse> uses);

  const std::vector<SegmentUse>& uses() const { return uses_; }
  size_t size() const { return slots_.size(); }
  const rete::SegmentFacts& facts(size_t index) const { return slots_[index].facts; }
  const std::string& address(size_t index) const { return slots_[index].address; }
  bool is_checked(size_t index) const { return slots_[index].is_checked; }
  bool is_remote(size_t index) const { return slots_[index].is_remote; }
  // Whether any of them is.
  bool has_remote() const { return has_remote_; }
  // Opens it again if it was closed; its pin is then checked again.
  Result<std::shared_ptr<rete::Segment>> segment(size_t index);
  // Nobody needs it open any more.
  void close(size_t index);

 private:
  struct Slot {
    std::string address;
    std::optional<manifest::SegmentPin> pin;
    std::string place;
    rete::SegmentFacts facts;
    bool is_checked = false;
    bool is_remote = false;
    std::shared_ptr<rete::Segment> open;
  };

  Result<std::shared_ptr<rete::Segment>> open_slot(const Slot& slot) const;
  Status open_all(base::Executor& executor);

  manifest::ObjectOpener* opener_ = nullptr;
  rete::SegmentOptions options_;
  std::vector<SegmentUse> uses_;
  bool has_remote_ = false;
  base::Mutex mutex_;  // guards Slot::open after opening
  std::vector<Slot> slots_;
};

}  // namespace weft::quads
