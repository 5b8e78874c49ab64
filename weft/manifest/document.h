// The manifest of a graph: a small JSON document that lists an ordered log of segments. What is
// visible is the fold of the log (docs/protocols/fold.md).
//
// D1  Members that this code does not know survive a rewrite, at every level of what is kept.
// D2  text() is what rete would write for the same content: two-space JSON, members in byte order
// of
//     their names, absent roles left out, a final newline. parse(text()) is the same manifest.
// D3  Each change raises the generation by one; at 2^64-1 it is refused.
//
// A value; not thread-safe to change. Format: docs/formats/manifest.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/codec/blake3.h"
#include "weft/json/value.h"

namespace weft::manifest {

inline constexpr uint64_t kManifestVersion = 1;
inline constexpr uint64_t kManifestSizeMaxBytes = uint64_t{64} << 20U;
// A compaction keeps the log it replaces, for diff, if that is not longer.
inline constexpr size_t kReplacedLogEntriesMax = 1'000;

// A segment as the log names it. `url` is as written; address.h resolves it.
struct SegmentPin {
  std::string url;
  uint64_t size_bytes = 0;
  codec::Digest16 hash = {};
  friend bool operator==(const SegmentPin&, const SegmentPin&) = default;
};

enum class Role : uint8_t { kDels, kAdds };  // in the order in which an entry applies them
std::string_view role_name(Role role);       // "dels", "adds"

// At least one of the two.
struct LogEntry {
  std::optional<SegmentPin> adds;
  std::optional<SegmentPin> dels;
  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

// How far the log has taken in the journal beside it: commits of `journal_id` up to `sequence`.
struct SealMark {
  std::string journal_id;
  uint64_t sequence = 0;
  friend bool operator==(const SealMark&, const SealMark&) = default;
};

class Manifest {
 public:
  // Generation 1 of a new graph. Without `base` it is empty.
  static Manifest create(std::string_view name, const std::optional<SegmentPin>& base);

  // Generation 0 of a graph that is about to be created: never published.
  static Manifest before_first(std::string_view name);

  // Checks in rete's order: version, name, generation, log, then entry by entry adds before dels,
  // in each url, size, hash. Errors, all beginning with "manifest: ": kUnsupported for another
  // version; kCorrupt for all else; kLimit.
  static Result<Manifest> parse(std::string_view text);

  std::string text() const;

  const std::string& name() const { return name_; }
  uint64_t generation() const { return generation_; }
  const std::vector<LogEntry>& log() const { return log_; }

  // Appends an entry. Errors: kInvalid if it names nothing; kLimit if the generation is the last.
  Status append(const LogEntry& entry);
  // The same with the entry that a seal made: what of the journal it holds is told with it.
  // `is_same_state`: log and journal together show what they showed before.
  Status append_sealed(const LogEntry& entry, const SealMark& sealed, bool is_same_state);
  // A log of its own in the place of all entries and of what `sealed` names: segments that add, or
  // nothing at all. Unlike a compaction it may show something else, so what was before is not
  // remembered.
  Status rewrite(const std::vector<SegmentPin>& all, const SealMark& sealed);
  // nullopt if nothing was sealed, or a program has dropped what it did not know.
  std::optional<SealMark> sealed() const;
  // The generation that last changed what log and journal together show: neither seals nor
  // compactions do.
  uint64_t state_generation() const;
  // Puts one entry in the place of the first `entries` ones, and remembers the log as it was.
  Status compact(size_t entries, const SegmentPin& compacted);

  // The log as it was at an earlier generation: a prefix of this one, or of the one that the last
  // compaction replaced. Generation 0 is the empty graph. Errors: kNotFound if it is not known.
  Result<std::vector<LogEntry>> log_at(uint64_t generation) const;

  // A log that shows what generation `to` showed, and whose first `from_entries` entries show what
  // generation `from` showed. From before the last compaction to after it, it is the log as if
  // nobody had compacted.
  struct History {
    std::vector<LogEntry> log;
    size_t from_entries = 0;
  };
  // Errors: kInvalid unless from <= to; kNotFound.
  Result<History> history(uint64_t from, uint64_t to) const;

  friend bool operator==(const Manifest& a, const Manifest& b) {
    return a.document_ == b.document_;
  }

 private:
  Status raise_generation();
  // After a change that shows nothing else than before.
  void keep_state(uint64_t state_generation);

  json::Value document_;
  std::string name_;
  uint64_t generation_ = 0;
  std::vector<LogEntry> log_;
};

// 32 lower-case hex digits.
std::string hash_text(const codec::Digest16& hash);

}  // namespace weft::manifest
