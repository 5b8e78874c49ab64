#include "weft/graph/key_run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "weft/codec/varint.h"
#include "weft/graph/key_run_layout.h"
#include "weft/storage/object_group.h"

namespace weft::graph {
namespace {

using codec::Digest16;
using storage::Buffer;
using storage::GroupPart;
using Found = std::function<void(size_t, uint64_t)>;

// Pages and root of a small run are read together.
constexpr uint64_t kTailBytesMax = uint64_t{8} << 10U;
// Where more keys are asked for than so many, and than one for so many entries, the whole run is
// read; runs of so many bytes are read together.
constexpr uint64_t kFewKeysMax = 8;
constexpr uint64_t kEntriesPerKeyMin = 128;
constexpr uint64_t kWholeBytesMax = uint64_t{16} << 20U;

Error corrupt(const std::string& name, std::string_view rule) {
  return Error(ErrorKind::kCorrupt, "a run of a key index is not what it was")
      .with("object", name)
      .with("rule", rule);
}

Status check_entries(const NamedRun& run) {
  return run.run.entries == 0 || run.run.entries > kRunEntriesMax
             ? Status(corrupt(run.name, "number of entries"))
             : ok_status();
}

Result<std::vector<Fence>> parse_root(const NamedRun& run, ByteView root) {
  if (codec::blake3_16(root) != run.run.root_hash) {
    return corrupt(run.name, "root");
  }
  return parse_fences(root);
}

Result<std::vector<Buffer>> read_parts(storage::ObjectGroup& group,
                                       const std::vector<GroupPart>& parts) {
  auto read = group.read(parts);
  if (!read.ok() && read.error().kind() == ErrorKind::kNotFound) {
    return corrupt(std::string(read.error().fact("object")), "gone");
  }
  return read;
}

// A look-up of a few keys in one run. It goes down by asking for parts and taking them, three times
// each: root, pages, blocks.
class RunLookup {
 public:
  RunLookup(size_t member, const NamedRun& run, std::span<const Digest16> digests)
      : member_(member), run_(run), digests_(digests), layout_(run.run.entries) {}

  void ask_root(std::vector<GroupPart>& parts) const {
    parts.push_back({member_, is_small() ? layout_.tail() : layout_.root()});
  }
  Status take_root(std::span<const Buffer>& read) {
    if (is_small()) {
      tail_ = read.front();
    }
    const storage::Range root = layout_.root();
    const Buffer bytes = is_small() ? in_tail(root) : read.front();
    read = read.subspan(1);
    WEFT_TRY(root_, parse_root(run_, bytes.view()));
    for (size_t i = 0; i < digests_.size(); ++i) {
      const auto [begin, end] = children_of(root_, prefix_of(digests_[i]));
      for (size_t page = begin; page < end; ++page) {
        pages_.push_back({i, page});
      }
    }
    return ok_status();
  }

  void ask_pages(std::vector<GroupPart>& parts) const {
    if (!is_small()) {
      ask(pages_, [this](size_t page) { return layout_.page(page); }, parts);
    }
  }
  Status take_pages(std::span<const Buffer>& read) {
    Buffer page;
    std::vector<Fence> fences;
    for (size_t i = 0; i < pages_.size(); ++i) {
      const size_t index = pages_[i].child;
      if (is_next(pages_, i)) {
        page = is_small() ? in_tail(layout_.page(index)) : read.front();
        read = is_small() ? read : read.subspan(1);
        if (check_of(page.view()) != root_[index].check) {
          return corrupt(run_.name, "page");
        }
        fences = parse_fences(page.view().first(layout_.blocks_of_page(index) * kFenceBytes));
      }
      want_blocks(pages_[i], fences, page.view().subspan(fences.size() * kFenceBytes));
    }
    return ok_status();
  }

  void ask_blocks(std::vector<GroupPart>& parts) const {
    ask(blocks_, [this](size_t block) { return layout_.block(block); }, parts);
  }
  Status take_blocks(std::span<const Buffer>& read, const Found& found) {
    ByteView block;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (is_next(blocks_, i)) {
        block = read.front().view();
        read = read.subspan(1);
        if (check_of(block) != checks_.at(blocks_[i].child)) {
          return corrupt(run_.name, "block");
        }
      }
      for (size_t entry = 0; entry < block.size() / kKeyEntryBytes; ++entry) {
        const KeyEntry candidate = entry_at(block, entry);
        if (candidate.digest == digests_[blocks_[i].digest]) {
          found(blocks_[i].digest, candidate.row_id);
        }
      }
    }
    return ok_status();
  }

 private:
  // A digest (its index) may be in a page or block.
  struct Wanted {
    size_t digest = 0;
    size_t child = 0;
  };

  bool is_small() const { return layout_.tail().size <= kTailBytesMax; }
  Buffer in_tail(const storage::Range& range) const {
    return tail_.slice(range.offset - layout_.tail().offset, range.size);
  }
  static bool is_next(const std::vector<Wanted>& wanted, size_t i) {
    return i == 0 || wanted[i].child != wanted[i - 1].child;
  }
  template <typename RangeOf>
  void ask(const std::vector<Wanted>& wanted, const RangeOf& range_of,
           std::vector<GroupPart>& parts) const {
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (is_next(wanted, i)) {
        parts.push_back({member_, range_of(wanted[i].child)});
      }
    }
  }

  void want_blocks(const Wanted& asks, const std::vector<Fence>& fences, ByteView fingerprints) {
    constexpr size_t kOfABlock = kEntriesPerBlock * kFingerprintBytes;
    const Digest16& digest = digests_[asks.digest];
    const auto [begin, end] = children_of(fences, prefix_of(digest));
    for (size_t i = begin; i < end; ++i) {
      const size_t at = i * kOfABlock;
      if (has_fingerprint(fingerprints.subspan(at, std::min(kOfABlock, fingerprints.size() - at)),
                          digest)) {
        const size_t block = asks.child * layout_.blocks_per_page + i;
        checks_.emplace(block, fences[i].check);
        blocks_.push_back({asks.digest, block});
      }
    }
  }

  const size_t member_;
  const NamedRun& run_;
  const std::span<const Digest16> digests_;
  const RunLayout layout_;
  Buffer tail_;
  std::vector<Fence> root_;
  std::vector<Wanted> pages_;
  std::vector<Wanted> blocks_;
  std::map<size_t, uint64_t> checks_;  // of blocks that are wanted
};

// One step of all look-ups.
template <typename Ask, typename Take>
Status advance(storage::ObjectGroup& group, std::vector<RunLookup>& lookups, const Ask& ask,
               const Take& take) {
  std::vector<GroupPart> parts;
  for (const RunLookup& lookup : lookups) {
    ask(lookup, parts);
  }
  std::vector<Buffer> read;
  if (!parts.empty()) {
    WEFT_TRY(read, read_parts(group, parts));
  }
  std::span<const Buffer> rest(read);
  for (RunLookup& lookup : lookups) {
    WEFT_TRY_STATUS(take(lookup, rest));
  }
  return ok_status();
}

Status find_few(storage::ObjectStore& store, const std::vector<const NamedRun*>& runs,
                std::span<const Digest16> digests, const Found& found) {
  if (runs.empty()) {
    return ok_status();
  }
  std::vector<storage::GroupMember> members;
  std::vector<RunLookup> lookups;
  lookups.reserve(runs.size());
  for (const NamedRun* const run : runs) {
    const RunLayout layout(run->run.entries);
    lookups.emplace_back(members.size(), *run, digests);
    members.push_back({run->name, layout.file_bytes(), layout.tail()});
  }
  const auto group = storage::open_group(store, std::move(members));
  using Parts = std::vector<GroupPart>;
  using Read = std::span<const Buffer>;
  WEFT_TRY_STATUS(advance(
      *group, lookups, [](const RunLookup& lookup, Parts& parts) { lookup.ask_root(parts); },
      [](RunLookup& lookup, Read& read) { return lookup.take_root(read); }));
  WEFT_TRY_STATUS(advance(
      *group, lookups, [](const RunLookup& lookup, Parts& parts) { lookup.ask_pages(parts); },
      [](RunLookup& lookup, Read& read) { return lookup.take_pages(read); }));
  return advance(
      *group, lookups, [](const RunLookup& lookup, Parts& parts) { lookup.ask_blocks(parts); },
      [&](RunLookup& lookup, Read& read) { return lookup.take_blocks(read, found); });
}

void find_many(const std::vector<KeyEntry>& entries, std::span<const Digest16> digests,
               const Found& found) {
  size_t at = 0;
  for (size_t i = 0; i < digests.size(); ++i) {
    while (at < entries.size() && entries[at].digest < digests[i]) {
      ++at;
    }
    for (size_t same = at; same < entries.size() && entries[same].digest == digests[i]; ++same) {
      found(i, entries[same].row_id);
    }
  }
}

Result<std::vector<KeyEntry>> parse_run(const NamedRun& run, ByteView file) {
  const RunLayout layout(run.run.entries);
  const auto part = [&](const storage::Range& range) {
    return file.subspan(range.offset, range.size);
  };
  WEFT_TRY(const std::vector<Fence> root, parse_root(run, part(layout.root())));
  std::vector<KeyEntry> entries;
  entries.reserve(run.run.entries);
  for (size_t page = 0; page < layout.pages; ++page) {
    const ByteView bytes = part(layout.page(page));
    if (check_of(bytes) != root[page].check) {
      return corrupt(run.name, "page");
    }
    const std::vector<Fence> fences =
        parse_fences(bytes.first(layout.blocks_of_page(page) * kFenceBytes));
    for (size_t i = 0; i < fences.size(); ++i) {
      const ByteView block = part(layout.block(page * layout.blocks_per_page + i));
      if (check_of(block) != fences[i].check) {
        return corrupt(run.name, "block");
      }
      for (size_t entry = 0; entry < block.size() / kKeyEntryBytes; ++entry) {
        entries.push_back(entry_at(block, entry));
      }
    }
  }
  return entries;
}

}  // namespace

uint64_t root_offset(uint64_t entries) {
  return RunLayout(entries).root_begin();
}

std::string serialize_run(const std::vector<KeyEntry>& entries, Digest16& root_hash) {
  const RunLayout layout(entries.size());
  std::string file;
  file.reserve(layout.file_bytes());
  for (const KeyEntry& entry : entries) {
    file += as_text(std::as_bytes(std::span(entry.digest)));
    codec::append_u64(file, entry.row_id);
  }
  const uint64_t entries_per_page = layout.blocks_per_page * kEntriesPerBlock;
  for (uint64_t page = 0; page < layout.pages; ++page) {
    const uint64_t first = page * layout.blocks_per_page;
    for (uint64_t block = first; block < first + layout.blocks_of_page(page); ++block) {
      const storage::Range place = layout.block(block);
      append_fence(file, entries[block * kEntriesPerBlock].digest,
                   as_bytes(file).subspan(place.offset, place.size));
    }
    const uint64_t end = std::min<uint64_t>((page + 1) * entries_per_page, entries.size());
    for (uint64_t entry = page * entries_per_page; entry < end; ++entry) {
      append_fingerprint(file, entries[entry].digest);
    }
  }
  for (uint64_t page = 0; page < layout.pages; ++page) {
    const storage::Range place = layout.page(page);
    append_fence(file, entries[page * entries_per_page].digest,
                 as_bytes(file).subspan(place.offset, place.size));
  }
  root_hash = codec::blake3_16(as_bytes(file).subspan(layout.root_begin()));
  return file;
}

Status find_in_runs(storage::ObjectStore& store, const std::vector<NamedRun>& runs,
                    std::span<const Digest16> digests, const Found& found) {
  std::vector<const NamedRun*> few;
  std::vector<NamedRun> many;
  uint64_t many_bytes = 0;
  const auto find_in_those = [&]() -> Status {
    WEFT_TRY(const auto all, read_runs(store, std::exchange(many, {})));
    many_bytes = 0;
    for (const std::vector<KeyEntry>& entries : all) {
      find_many(entries, digests, found);
    }
    return ok_status();
  };
  for (const NamedRun& run : runs) {
    WEFT_TRY_STATUS(check_entries(run));
    if (digests.size() <= std::max(kFewKeysMax, run.run.entries / kEntriesPerKeyMin)) {
      few.push_back(&run);
      continue;
    }
    const uint64_t bytes = RunLayout(run.run.entries).file_bytes();
    if (many_bytes + bytes > kWholeBytesMax) {
      WEFT_TRY_STATUS(find_in_those());
    }
    many.push_back(run);
    many_bytes += bytes;
  }
  WEFT_TRY_STATUS(find_in_those());
  return find_few(store, few, digests, found);
}

Result<std::vector<std::vector<KeyEntry>>> read_runs(storage::ObjectStore& store,
                                                     const std::vector<NamedRun>& runs) {
  std::vector<storage::GroupMember> members;
  std::vector<GroupPart> parts;
  std::vector<std::vector<KeyEntry>> all;
  if (runs.empty()) {
    return all;
  }
  for (const NamedRun& run : runs) {
    WEFT_TRY_STATUS(check_entries(run));
    const uint64_t size = RunLayout(run.run.entries).file_bytes();
    parts.push_back({members.size(), {0, size}});
    members.push_back({run.name, size});
  }
  WEFT_TRY(std::vector<Buffer> files,
           read_parts(*storage::open_group(store, std::move(members)), parts));
  for (size_t i = 0; i < runs.size(); ++i) {
    WEFT_TRY(std::vector<KeyEntry> entries, parse_run(runs[i], files[i].view()));
    files[i] = Buffer();
    all.push_back(std::move(entries));
  }
  return all;
}

}  // namespace weft::graph
