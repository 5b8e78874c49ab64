#include "weft/graph/key_index.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "weft/base/planted.h"
#include "weft/codec/varint.h"

namespace weft::graph {
namespace {

using codec::Digest16;
using lance::Snapshot;

constexpr uint64_t kFormat = 2;
// Its runs have pages of another form. It covers nothing: every row is in a gap, and is read.
constexpr uint64_t kFormatBefore = 1;
constexpr size_t kRunsMax = 10'000;

Error corrupt(std::string_view rule) {
  return Error(ErrorKind::kCorrupt, "the key index of a table is damaged").with("rule", rule);
}

void append_digest(std::string& out, const Digest16& digest) {
  out += as_text(ByteView(digest.data(), digest.size()));
}

Digest16 read_digest(codec::ByteReaderView& reader) {
  Digest16 digest{};
  const ByteView bytes = reader.bytes(digest.size());
  if (bytes.size() == digest.size()) {
    std::ranges::copy(bytes, digest.begin());
  }
  return digest;
}

std::optional<std::string> from_hex(std::string_view text) {
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
  std::string bytes;
  if (text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdef") != text.npos) {
    return std::nullopt;
  }
  for (size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1])));
  }
  return bytes;
}

std::string object_name(const Snapshot& snapshot, const KeyRun& run) {
  return lance::join_name(snapshot.location().root, run.path);
}

// Takes the runs that go into one with `entries`, the smallest first, and adds what they have.
Status take_runs_to_merge(const Snapshot& base, KeyIndex& index, std::vector<KeyEntry>& entries) {
  std::vector<NamedRun> merged;
  uint64_t count = entries.size();
  while (!index.runs.empty() && index.runs.back().entries <= kRunFanOut * count &&
         index.runs.back().entries <= kMergedEntriesMax) {
    const KeyRun& run = index.runs.back();
    count += run.entries;
    merged.push_back({object_name(base, run), run});
    index.runs.pop_back();
  }
  WEFT_TRY(auto read, read_runs(*base.location().store, merged));
  entries.reserve(count);
  for (std::vector<KeyEntry>& run : read) {
    entries.insert(entries.end(), run.begin(), run.end());
    run = {};
  }
  return ok_status();
}

// Runs of at most kRunEntriesMax of these entries, which ascend.
void add_runs(const Snapshot& base, const std::vector<KeyEntry>& entries,
              const lance::StageOptions& names, KeyIndex& index,
              std::vector<lance::StagedObject>& objects) {
  for (size_t from = 0; from < entries.size(); from += kRunEntriesMax) {
    const auto begin = entries.begin() + static_cast<ptrdiff_t>(from);
    const std::vector<KeyEntry> part(begin, begin + static_cast<ptrdiff_t>(std::min<uint64_t>(
                                                        kRunEntriesMax, entries.size() - from)));
    KeyRun run;
    run.path = std::string(lance::kKeptFolder) + "keys-" + names.operation + "-" +
               lance::hex_text(names.random->next()) + ".run";
    run.entries = part.size();
    std::string file = serialize_run(part, run.root_hash);
    objects.emplace_back(object_name(base, run), std::move(file));
    index.runs.push_back(std::move(run));
  }
}

}  // namespace

std::string serialize_key_index(const KeyIndex& index) {
  std::string bytes;
  codec::append_varint(bytes, kFormat);
  codec::append_varint(bytes, index.row_id_end);
  codec::append_varint(bytes, index.gaps.size());
  for (const KeyIndex::Gap& gap : index.gaps) {
    codec::append_varint(bytes, gap.from);
    codec::append_varint(bytes, gap.to);
  }
  codec::append_varint(bytes, index.waiting.size());
  for (const KeyEntry& entry : index.waiting) {
    append_digest(bytes, entry.digest);
    codec::append_varint(bytes, entry.row_id);
  }
  codec::append_varint(bytes, index.runs.size());
  for (const KeyRun& run : index.runs) {
    codec::append_length_prefixed(bytes, run.path);
    codec::append_varint(bytes, run.entries);
    append_digest(bytes, run.root_hash);
  }
  return codec::to_hex(as_bytes(bytes));
}

Result<KeyIndex> parse_key_index(std::string_view text) {
  const std::optional<std::string> bytes = from_hex(text);
  if (!bytes.has_value()) {
    return corrupt("hexadecimal digits");
  }
  codec::ByteReaderView reader(as_bytes(*bytes));
  const uint64_t format = reader.varint();
  if (format == kFormatBefore) {
    return KeyIndex();
  }
  if (format != kFormat) {
    return Error(ErrorKind::kUnsupported, "a newer weft made the key index of this table")
        .with("format", format);
  }
  KeyIndex index;
  index.row_id_end = reader.varint();
  index.gaps.resize(reader.count(2));
  for (KeyIndex::Gap& gap : index.gaps) {
    gap.from = reader.varint();
    gap.to = reader.varint();
  }
  index.waiting.resize(reader.count(sizeof(Digest16) + 1));
  for (KeyEntry& entry : index.waiting) {
    entry.digest = read_digest(reader);
    entry.row_id = reader.varint();
  }
  index.runs.resize(reader.count(sizeof(Digest16) + 2));
  for (KeyRun& run : index.runs) {
    run.path = to_text(reader.length_prefixed());
    run.entries = reader.varint();
    run.root_hash = read_digest(reader);
  }
  if (!reader.ok() || reader.remaining() != 0 || index.runs.size() > kRunsMax) {
    return corrupt("length");
  }
  return index;
}

Result<KeyIndex> key_index_of(const Snapshot& snapshot, std::string_view entry) {
  const std::string* const text = lance::find_entry(snapshot.manifest().config, entry);
  if (text == nullptr) {
    return KeyIndex();
  }
  auto parsed = parse_key_index(*text);
  if (!parsed.ok()) {
    Error error = std::move(parsed).error();
    error.add("table", snapshot.location().to_string());
    return error;
  }
  return parsed;
}

Result<std::vector<KeyRun>> runs_of(const Snapshot& snapshot) {
  std::vector<KeyRun> runs;
  for (const auto& [entry, text] : snapshot.manifest().config) {
    if (entry == kKeyIndexEntry || entry.starts_with(kValueIndexPrefix)) {
      WEFT_TRY(KeyIndex index, key_index_of(snapshot, entry));
      std::ranges::move(index.runs, std::back_inserter(runs));
    }
  }
  return runs;
}

Result<ExtendedIndex> extend_key_index(const Snapshot& base, const std::vector<Digest16>& inserted,
                                       bool replaces_all, const lance::StageOptions& names) {
  IndexAddition addition{.entries = {}, .inserted = inserted.size(), .replaces_all = replaces_all};
  addition.entries.reserve(inserted.size());
  const uint64_t first = base.manifest().next_row_id;
  for (size_t i = 0; i < inserted.size(); ++i) {
    addition.entries.push_back({inserted[i], first + i});
  }
  return extend_index(base, kKeyIndexEntry, std::move(addition), names);
}

Result<ExtendedIndex> extend_index(const Snapshot& base, std::string_view entry,
                                   IndexAddition addition, const lance::StageOptions& names) {
  const uint64_t first = base.manifest().next_row_id;
  WEFT_TRY(KeyIndex index, key_index_of(base, entry));
  if (addition.replaces_all) {
    index = KeyIndex{.row_id_end = first, .gaps = {}, .waiting = {}, .runs = {}};
  }
  if (index.row_id_end < first) {
    index.gaps.push_back({index.row_id_end, first});  // others have appended
  }
  index.row_id_end = first + addition.inserted;
  std::vector<KeyEntry> entries = std::exchange(index.waiting, {});
  if (!base::planted(base::Bug::kStaleKeyIndex)) {
    entries.insert(entries.end(), addition.entries.begin(), addition.entries.end());
  }
  ExtendedIndex extended;
  if (entries.size() <= kInlineEntriesMax) {
    std::ranges::sort(entries);
    index.waiting = std::move(entries);
  } else {
    WEFT_TRY_STATUS(take_runs_to_merge(base, index, entries));
    std::ranges::sort(entries);
    add_runs(base, entries, names, index, extended.objects);
  }
  extended.config = {std::string(entry), serialize_key_index(index)};
  return extended;
}

Result<std::vector<KeyIndex::Gap>> find_row_ids(const Snapshot& snapshot,
                                                const std::vector<Digest16>& digests,
                                                const std::function<void(size_t, uint64_t)>& found,
                                                std::string_view entry) {
  WEFT_TRY(KeyIndex index, key_index_of(snapshot, entry));
  for (const KeyEntry& waiting : index.waiting) {
    const auto [from, to] = std::ranges::equal_range(digests, waiting.digest);
    for (auto at = from; at != to; ++at) {
      found(static_cast<size_t>(at - digests.begin()), waiting.row_id);
    }
  }
  std::vector<NamedRun> runs;
  for (KeyRun& run : index.runs) {
    std::string name = object_name(snapshot, run);
    runs.push_back({std::move(name), std::move(run)});
  }
  WEFT_TRY_STATUS(find_in_runs(*snapshot.location().store, runs, digests, found));
  if (index.row_id_end < snapshot.manifest().next_row_id) {
    index.gaps.push_back({index.row_id_end, snapshot.manifest().next_row_id});
  }
  return std::move(index.gaps);
}

}  // namespace weft::graph
