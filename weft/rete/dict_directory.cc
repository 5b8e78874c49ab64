#include "weft/rete/dict_directory.h"

#include <algorithm>
#include <utility>

#include "weft/codec/varint.h"
#include "weft/rete/file_reader.h"

namespace weft::rete {
namespace {

using storage::Range;

Error bad(const char* reason) {
  return Error(ErrorKind::kCorrupt, "damaged dictionary directory").with("reason", reason);
}

uint64_t end_of(Range range) {
  return range.offset + range.size;
}

// A place given relative to a section, as an absolute one; false if it leaves the section.
bool within(Range section, uint64_t offset, uint64_t size, Range& place) {
  if (offset > section.size || size > section.size - offset) {
    return false;
  }
  place = {section.offset + offset, size};
  return true;
}

Status check_leaf_refs(const DictDirectory& directory) {
  uint64_t chunks = 0;
  const DictLeafRef* previous = nullptr;
  for (const DictLeafRef& leaf : directory.leaves) {
    if (leaf.chunk_count == 0 || leaf.chunk_count > directory.chunk_count - chunks) {
      return bad("leaves do not cover the chunks");
    }
    chunks += leaf.chunk_count;
    if (previous == nullptr) {
      if (leaf.first_run != 0 || !leaf.key.empty() ||
          leaf.chunk_offset != directory.chunks.offset) {
        return bad("first leaf does not begin the section");
      }
    } else if (leaf.first_run <= previous->first_run || leaf.key <= previous->key ||
               leaf.chunk_offset <= previous->chunk_offset ||
               leaf.stored.offset < end_of(previous->stored)) {
      return bad("leaves do not ascend");
    }
    if (leaf.first_run >= directory.run_count() || leaf.chunk_offset >= end_of(directory.chunks)) {
      return bad("leaf begins behind the section");
    }
    previous = &leaf;
  }
  if (chunks != directory.chunk_count) {
    return bad("leaves do not cover the chunks");
  }
  return ok_status();
}

Status check_totals(const DictDirectory& directory) {
  if (directory.term_count > kTermsMax) {
    return bad("too many terms");
  }
  if (directory.run_terms == 0 && directory.term_count > 0) {
    return bad("restart interval is 0");
  }
  if ((directory.term_count == 0) != (directory.chunk_count == 0) ||
      directory.chunk_count > directory.run_count() ||
      (directory.chunk_count == 0 && directory.chunks.size != 0)) {
    return bad("counts of terms and chunks disagree");
  }
  return ok_status();
}

Result<DictDirectory> parse_section6(codec::ByteReaderView& reader, DictSection section,
                                     Range leaves, Range chunks) {
  DictDirectory directory;
  directory.section = section;
  directory.term_count = reader.varint();
  directory.run_terms = reader.varint();
  directory.chunk_count = reader.varint();
  const uint64_t data_offset = reader.varint();
  const uint64_t data_size = reader.varint();
  constexpr size_t kLeafRefBytesMin = 6;
  const uint64_t leaf_count = reader.count(kLeafRefBytesMin);
  if (!reader.ok() || !within(chunks, data_offset, data_size, directory.chunks)) {
    return bad("section is cut short or out of its place");
  }
  WEFT_TRY_STATUS(check_totals(directory));
  for (uint64_t i = 0; i < leaf_count; ++i) {
    DictLeafRef leaf;
    leaf.chunk_count = reader.varint();
    const uint64_t offset = reader.varint();
    const uint64_t size = reader.varint();
    leaf.first_run = reader.varint();
    const uint64_t chunk_offset = reader.varint();
    leaf.key = as_text(reader.length_prefixed());
    if (!reader.ok() || size == 0 || !within(leaves, offset, size, leaf.stored) ||
        chunk_offset > data_size) {
      return bad("leaf is out of its place");
    }
    leaf.chunk_offset = directory.chunks.offset + chunk_offset;
    directory.leaves.push_back(std::move(leaf));
  }
  WEFT_TRY_STATUS(check_leaf_refs(directory));
  return directory;
}

}  // namespace

size_t DictDirectory::leaf_of(std::string_view token) const {
  const auto behind = std::partition_point(
      leaves.begin(), leaves.end(), [&](const DictLeafRef& leaf) { return leaf.key <= token; });
  return static_cast<size_t>(behind - leaves.begin()) - 1;
}

size_t DictDirectory::leaf_of(uint64_t term_index) const {
  const uint64_t run = term_index / run_terms;
  const auto behind = std::partition_point(
      leaves.begin(), leaves.end(), [&](const DictLeafRef& leaf) { return leaf.first_run <= run; });
  return static_cast<size_t>(behind - leaves.begin()) - 1;
}

size_t DictLeaf::chunk_of(std::string_view token) const {
  size_t low = 0;
  size_t high = entries_.size();
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    (key(middle) <= token ? low : high) = middle;
  }
  return low;
}

size_t DictLeaf::chunk_of_run(uint64_t run) const {
  const auto behind = std::partition_point(
      entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.first_run <= run; });
  return static_cast<size_t>(behind - entries_.begin()) - 1;
}

ChunkPlace DictLeaf::place(const DictDirectory& directory, size_t index) const {
  ChunkPlace place;
  place.run_terms = directory.run_terms;
  place.first_term = entries_[index].first_run * directory.run_terms;
  place.key = key(index);
  const bool last_of_leaf = index + 1 == entries_.size();
  const uint64_t next_run = last_of_leaf ? end_run_ : entries_[index + 1].first_run;
  place.term_count =
      std::min(next_run * directory.run_terms, directory.term_count) - place.first_term;
  if (!last_of_leaf) {
    place.next_key = key(index + 1);
  } else if (!is_last_) {
    place.next_key = end_key_;
  }
  return place;
}

size_t DictLeaf::memory_bytes() const {
  return sizeof(*this) + entries_.capacity() * sizeof(Entry) + keys_.capacity() +
         end_key_.capacity();
}

Status DictLeaf::check(const DictDirectory& directory) const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    const uint64_t next_run = i + 1 == entries_.size() ? end_run_ : entries_[i + 1].first_run;
    if (entries_[i].first_run >= next_run || next_run > directory.run_count()) {
      return bad("runs of the chunks do not ascend");
    }
    if (i > 0 && key(i) <= key(i - 1)) {
      return bad("routing keys do not ascend");
    }
    if (entries_[i].stored_size == 0 || entries_[i].offset > end_of(directory.chunks) ||
        entries_[i].stored_size > end_of(directory.chunks) - entries_[i].offset) {
      return bad("chunk is out of its place");
    }
  }
  if (!is_last_ && key(entries_.size() - 1) >= end_key_) {
    return bad("routing keys do not ascend");
  }
  return ok_status();
}

Result<std::shared_ptr<const DictLeaf>> DictLeaf::from_raw(std::string_view raw,
                                                           const DictDirectory& directory,
                                                           size_t index) {
  const DictLeafRef& ref = directory.leaves[index];
  auto leaf = std::make_shared<DictLeaf>();
  leaf->is_last_ = index + 1 == directory.leaves.size();
  leaf->end_run_ = leaf->is_last_ ? directory.run_count() : directory.leaves[index + 1].first_run;
  leaf->end_key_ = leaf->is_last_ ? std::string() : directory.leaves[index + 1].key;
  const uint64_t end_offset =
      leaf->is_last_ ? end_of(directory.chunks) : directory.leaves[index + 1].chunk_offset;

  codec::ByteReaderView reader(as_bytes(raw));
  constexpr size_t kEntryBytesMin = 3;
  if (ref.chunk_count > raw.size() / kEntryBytesMin) {
    return bad("leaf is cut short");
  }
  leaf->entries_.reserve(ref.chunk_count);
  uint64_t run = 0;
  uint64_t offset = ref.chunk_offset;
  for (uint64_t i = 0; i < ref.chunk_count; ++i) {
    run += reader.varint();
    const std::string_view key = as_text(reader.length_prefixed());
    const uint64_t stored_size = reader.varint();
    if (!reader.ok() || stored_size > end_offset - offset) {
      return bad("leaf is cut short, or its chunks overrun the section");
    }
    if (i == 0 && (run != ref.first_run || key != ref.key)) {
      return bad("leaf does not begin where its reference says");
    }
    leaf->entries_.push_back({.first_run = run,
                              .offset = offset,
                              .stored_size = stored_size,
                              .key_offset = static_cast<uint32_t>(leaf->keys_.size()),
                              .key_size = static_cast<uint32_t>(key.size())});
    leaf->keys_.append(key);
    offset += stored_size;
  }
  if (reader.remaining() != 0 || offset != end_offset) {
    return bad("leaf does not cover its chunks");
  }
  WEFT_TRY_STATUS(leaf->check(directory));
  return std::shared_ptr<const DictLeaf>(std::move(leaf));
}

Result<std::vector<DictDirectory>> parse_dict_unit6(std::string_view payload, Range leaves,
                                                    Range chunks) {
  codec::ByteReaderView reader(as_bytes(payload));
  std::vector<DictDirectory> directories;
  std::vector<Range> places;
  for (size_t i = 0; i < kDictSectionCount; ++i) {
    WEFT_TRY(DictDirectory directory,
             parse_section6(reader, static_cast<DictSection>(i), leaves, chunks));
    if (directory.chunks.size > 0) {
      places.push_back(directory.chunks);
    }
    directories.push_back(std::move(directory));
  }
  std::sort(places.begin(), places.end(), [](Range a, Range b) { return a.offset < b.offset; });
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i].offset < end_of(places[i - 1])) {
      return bad("sections overlap");
    }
  }
  if (reader.remaining() != 0) {
    return bad("bytes behind the last section");
  }
  return directories;
}

Status DictLeaf::read_kept(FileReader& reader, DictDirectory& directory) {
  constexpr uint64_t kEntryBytesMin = 3;
  directory.chunk_count = reader.count(kEntryBytesMin);
  auto leaf = std::make_shared<DictLeaf>();
  leaf->is_last_ = true;
  leaf->end_run_ = directory.run_count();
  uint64_t run = 0;
  uint64_t offset = 0;
  for (uint64_t i = 0; i < directory.chunk_count && reader.ok(); ++i) {
    run += reader.varint();
    const std::string key = reader.length_prefixed();
    const uint64_t stored_size = reader.varint();
    if (stored_size > reader.remaining() || (i == 0 && run != 0)) {
      reader.fail("chunk is out of its place");
    }
    leaf->entries_.push_back({.first_run = run,
                              .offset = offset,
                              .stored_size = stored_size,
                              .key_offset = static_cast<uint32_t>(leaf->keys_.size()),
                              .key_size = static_cast<uint32_t>(key.size())});
    leaf->keys_.append(key);
    offset += stored_size;
  }
  if (offset != reader.remaining()) {
    reader.fail("chunks do not fill the dictionary section");
  }
  WEFT_TRY_STATUS(reader.status());
  directory.chunks = {reader.position(), offset};
  for (Entry& entry : leaf->entries_) {
    entry.offset += directory.chunks.offset;
  }
  WEFT_TRY_STATUS(check_totals(directory));
  if (directory.chunk_count > 0) {
    WEFT_TRY_STATUS(leaf->check(directory));
    directory.leaves.push_back({.chunk_count = directory.chunk_count,
                                .stored = {},
                                .first_run = 0,
                                .chunk_offset = directory.chunks.offset,
                                .key = {},
                                .kept = std::move(leaf)});
  }
  return ok_status();
}

namespace {

// Term count, restart interval, restart offsets. The offsets are not kept: chunks are walked.
void read_section_head5(FileReader& reader, DictDirectory& directory) {
  directory.term_count = reader.varint();
  directory.run_terms = reader.varint();
  const uint64_t restarts = reader.count(1);
  if (directory.term_count > kTermsMax || (directory.run_terms == 0 && directory.term_count > 0) ||
      restarts != directory.run_count()) {
    reader.fail("counts of the dictionary section disagree");
  }
  uint64_t last = 0;
  for (uint64_t i = 0; i < restarts && reader.ok(); ++i) {
    const uint64_t offset = reader.varint();
    if (i == 0 ? offset != 0 : offset <= last) {
      reader.fail("restart offsets do not ascend");
    }
    last = offset;
  }
  if (reader.remaining() != 0) {
    reader.fail("bytes behind the restart offsets");
  }
}

}  // namespace

// "Generation 5, dictionary" of docs/formats/rete.md.
Result<DictDirectory> read_dict_directory5(FileReader& reader, DictSection section) {
  DictDirectory directory;
  directory.section = section;
  const Range payload = reader.region();
  WEFT_TRY_STATUS(reader.status());
  FileReader body = reader.sub_reader(payload);
  const Range head = body.region();
  WEFT_TRY_STATUS(body.status());
  FileReader head_reader = body.sub_reader(head);
  read_section_head5(head_reader, directory);
  WEFT_TRY_STATUS(head_reader.status());
  Status status = DictLeaf::read_kept(body, directory);
  if (!status.ok() && body.ok()) {
    body.fail(status.error().fact("reason"));
    return body.status().error();
  }
  WEFT_TRY_STATUS(std::move(status));
  return directory;
}

}  // namespace weft::rete
