#include "weft/graph/key_run.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "weft/codec/varint.h"

namespace weft::graph {
namespace {

using codec::Digest16;

constexpr size_t kFenceBytes = 16;
constexpr size_t kBlockBytes = kEntriesPerBlock * kKeyEntryBytes;
constexpr size_t kPageBytes = kFencesPerPage * kFenceBytes;

// Where the parts of a run of so many entries lie: blocks, pages of fences, the root.
struct Layout {
  explicit Layout(uint64_t entry_count)
      : entries(entry_count),
        blocks((entry_count + kEntriesPerBlock - 1) / kEntriesPerBlock),
        pages((blocks + kFencesPerPage - 1) / kFencesPerPage) {}

  uint64_t fences_begin() const { return entries * kKeyEntryBytes; }
  uint64_t root_begin() const { return fences_begin() + blocks * kFenceBytes; }
  uint64_t file_bytes() const { return root_begin() + pages * kFenceBytes; }
  storage::Range block(uint64_t index) const {
    const uint64_t begin = index * kBlockBytes;
    return {begin, std::min<uint64_t>(kBlockBytes, fences_begin() - begin)};
  }
  storage::Range page(uint64_t index) const {
    const uint64_t begin = fences_begin() + index * kPageBytes;
    return {begin, std::min<uint64_t>(kPageBytes, root_begin() - begin)};
  }
  storage::Range root() const { return {root_begin(), pages * kFenceBytes}; }

  uint64_t entries;
  uint64_t blocks;
  uint64_t pages;
};

// The first eight bytes, ordered as the digests are.
uint64_t prefix_of(const Digest16& digest) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < 8; ++i) {
    prefix = prefix << 8U | static_cast<uint8_t>(digest[i]);
  }
  return prefix;
}

struct Fence {
  uint64_t prefix = 0;  // of the first digest below
  uint64_t check = 0;   // the first eight bytes of the hash of what lies below
};

uint64_t check_of(ByteView bytes) {
  return prefix_of(codec::blake3_16(bytes));
}

std::vector<Fence> parse_fences(ByteView bytes) {
  codec::ByteReaderView reader(bytes);
  std::vector<Fence> fences(bytes.size() / kFenceBytes);
  for (Fence& fence : fences) {
    fence.prefix = reader.u64();
    fence.check = reader.u64();
  }
  return fences;
}

void append_fence(std::string& out, const Digest16& first, ByteView below) {
  codec::append_u64(out, prefix_of(first));
  codec::append_u64(out, check_of(below));
}

KeyEntry entry_at(ByteView block, size_t index) {
  KeyEntry entry;
  const ByteView bytes = block.subspan(index * kKeyEntryBytes, kKeyEntryBytes);
  std::memcpy(entry.digest.data(), bytes.data(), entry.digest.size());
  codec::ByteReaderView reader(bytes.subspan(entry.digest.size()));
  entry.row_id = reader.u64();
  return entry;
}

// The children that may hold a digest with this prefix: [first, second).
std::pair<size_t, size_t> children_of(const std::vector<Fence>& fences, uint64_t prefix) {
  const auto [equal, past] = std::ranges::equal_range(fences, prefix, {}, &Fence::prefix);
  const auto begin = equal == fences.begin() ? equal : equal - 1;
  return {static_cast<size_t>(begin - fences.begin()), static_cast<size_t>(past - fences.begin())};
}

class RunReader {
 public:
  RunReader(storage::ObjectStore& store, const std::string& name, const KeyRun& run)
      : store_(store), name_(name), run_(run), layout_(run.entries) {}

  Status open() {
    if (run_.entries == 0 || run_.entries > kRunEntriesMax) {
      return corrupt("number of entries");
    }
    auto opened = store_.open(name_);
    if (!opened.ok()) {
      return opened.error().kind() == ErrorKind::kNotFound ? corrupt("gone") : opened.error();
    }
    object_ = *std::move(opened);
    if (object_->size() != layout_.file_bytes()) {
      return corrupt("another size");
    }
    WEFT_TRY(const storage::Buffer root, object_->read(layout_.root()));
    if (codec::blake3_16(root.view()) != run_.root_hash) {
      return corrupt("root");
    }
    root_ = parse_fences(root.view());
    return ok_status();
  }

  Status find(const std::vector<Digest16>& digests,
              const std::function<void(size_t, uint64_t)>& found) {
    WEFT_TRY_STATUS(open());
    // Which children of the level above each digest asks for, level by level.
    std::vector<Wanted> wanted;
    for (size_t i = 0; i < digests.size(); ++i) {
      const auto [begin, end] = children_of(root_, prefix_of(digests[i]));
      for (size_t page = begin; page < end; ++page) {
        wanted.push_back({i, page});
      }
    }
    std::vector<Wanted> blocks;
    const auto down = [&](size_t page, const std::vector<Fence>& fences, const Wanted& asks) {
      const auto [begin, end] = children_of(fences, prefix_of(digests[asks.digest]));
      for (size_t block = begin; block < end; ++block) {
        checks_.emplace(page * kFencesPerPage + block, fences[block].check);
        blocks.push_back({asks.digest, page * kFencesPerPage + block});
      }
    };
    WEFT_TRY_STATUS(each_page(wanted, down));
    return each_block(blocks, digests, found);
  }

  Result<std::vector<KeyEntry>> read_all() {
    WEFT_TRY_STATUS(open());
    WEFT_TRY(const storage::Buffer file, object_->read({0, layout_.root_begin()}));
    std::vector<KeyEntry> entries;
    entries.reserve(run_.entries);
    for (size_t page = 0; page < layout_.pages; ++page) {
      const storage::Range range = layout_.page(page);
      const ByteView bytes = file.view().subspan(range.offset, range.size);
      if (check_of(bytes) != root_[page].check) {
        return corrupt("page of fences");
      }
      const std::vector<Fence> fences = parse_fences(bytes);
      for (size_t i = 0; i < fences.size(); ++i) {
        const storage::Range place = layout_.block(page * kFencesPerPage + i);
        const ByteView block = file.view().subspan(place.offset, place.size);
        if (check_of(block) != fences[i].check) {
          return corrupt("block");
        }
        for (size_t entry = 0; entry < block.size() / kKeyEntryBytes; ++entry) {
          entries.push_back(entry_at(block, entry));
        }
      }
    }
    return entries;
  }

 private:
  struct Wanted {
    size_t digest = 0;
    size_t child = 0;
  };

  Error corrupt(std::string_view rule) const {
    return Error(ErrorKind::kCorrupt, "a run of a key index is not what it was")
        .with("object", name_)
        .with("rule", rule);
  }

  // The children named in `wanted`, each once, in one read.
  template <typename RangeOf>
  Result<std::vector<storage::Buffer>> read_children(const std::vector<Wanted>& wanted,
                                                     const RangeOf& range_of) {
    std::vector<storage::Range> ranges;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (i == 0 || wanted[i].child != wanted[i - 1].child) {
        ranges.push_back(range_of(wanted[i].child));
      }
    }
    return object_->read_many(ranges);
  }

  template <typename Down>
  Status each_page(const std::vector<Wanted>& wanted, const Down& down) {
    WEFT_TRY(const auto pages,
             read_children(wanted, [this](size_t page) { return layout_.page(page); }));
    size_t at = 0;
    std::vector<Fence> fences;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (i == 0 || wanted[i].child != wanted[i - 1].child) {
        if (check_of(pages[at].view()) != root_[wanted[i].child].check) {
          return corrupt("page of fences");
        }
        fences = parse_fences(pages[at++].view());
      }
      down(wanted[i].child, fences, wanted[i]);
    }
    return ok_status();
  }

  Status each_block(const std::vector<Wanted>& wanted, const std::vector<Digest16>& digests,
                    const std::function<void(size_t, uint64_t)>& found) {
    WEFT_TRY(const auto blocks,
             read_children(wanted, [this](size_t block) { return layout_.block(block); }));
    size_t at = 0;
    ByteView block;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (i == 0 || wanted[i].child != wanted[i - 1].child) {
        block = blocks[at++].view();
        if (check_of(block) != checks_.at(wanted[i].child)) {
          return corrupt("block");
        }
      }
      for (size_t entry = 0; entry < block.size() / kKeyEntryBytes; ++entry) {
        const KeyEntry candidate = entry_at(block, entry);
        if (candidate.digest == digests[wanted[i].digest]) {
          found(wanted[i].digest, candidate.row_id);
        }
      }
    }
    return ok_status();
  }

  storage::ObjectStore& store_;
  const std::string& name_;
  const KeyRun& run_;
  const Layout layout_;
  std::unique_ptr<storage::ObjectReader> object_;
  std::vector<Fence> root_;
  std::map<size_t, uint64_t> checks_;  // of blocks that are wanted
};

}  // namespace

std::string serialize_run(const std::vector<KeyEntry>& entries, Digest16& root_hash) {
  const Layout layout(entries.size());
  std::string file;
  file.reserve(layout.file_bytes());
  for (const KeyEntry& entry : entries) {
    file += as_text(std::as_bytes(std::span(entry.digest)));
    codec::append_u64(file, entry.row_id);
  }
  for (uint64_t block = 0; block < layout.blocks; ++block) {
    const storage::Range place = layout.block(block);
    append_fence(file, entries[block * kEntriesPerBlock].digest,
                 as_bytes(file).subspan(place.offset, place.size));
  }
  for (uint64_t page = 0; page < layout.pages; ++page) {
    const storage::Range place = layout.page(page);
    append_fence(file, entries[page * kFencesPerPage * kEntriesPerBlock].digest,
                 as_bytes(file).subspan(place.offset, place.size));
  }
  root_hash = codec::blake3_16(as_bytes(file).subspan(layout.root_begin()));
  return file;
}

Status find_in_run(storage::ObjectStore& store, const std::string& name, const KeyRun& run,
                   const std::vector<Digest16>& digests,
                   const std::function<void(size_t, uint64_t)>& found) {
  constexpr uint64_t kEntriesPerKeyMin = 128;
  if (digests.size() <= run.entries / kEntriesPerKeyMin) {
    return RunReader(store, name, run).find(digests, found);
  }
  WEFT_TRY(const std::vector<KeyEntry> entries, read_run(store, name, run));
  size_t at = 0;
  for (size_t i = 0; i < digests.size(); ++i) {
    while (at < entries.size() && entries[at].digest < digests[i]) {
      ++at;
    }
    for (size_t same = at; same < entries.size() && entries[same].digest == digests[i]; ++same) {
      found(i, entries[same].row_id);
    }
  }
  return ok_status();
}

Result<std::vector<KeyEntry>> read_run(storage::ObjectStore& store, const std::string& name,
                                       const KeyRun& run) {
  return RunReader(store, name, run).read_all();
}

}  // namespace weft::graph
