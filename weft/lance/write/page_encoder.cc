#include "weft/lance/write/page_encoder.h"

#include <algorithm>
#include <cstring>

#include "weft/lance/write/dictionary.h"
#include "weft/lance/write/text_codes.h"

namespace weft::lance::write {

using layout::FileVersion;

namespace {

bool is_integer_width(uint32_t bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

// Encodes one page of one leaf.
class PageEncoder {
 public:
  PageEncoder(PageRows& rows, const Leaf& leaf, FileVersion version)
      : rows_(rows), leaf_(leaf), shape_(leaf.shape), version_(version) {
    levels_ = levels_of(rows, leaf);
  }

  Result<EncodedPage> run() {
    find_nulls();
    if (shape_.kind == ValueKind::kNull || rows_.slot_count == 0 ||
        (value_count_ == 0 && leaf_.steps.size() == 1)) {
      return constant_page(rows_, levels_, shape_, std::nullopt, version_);
    }
    if (shape_.index_bits != 0) {
      return dictionary_column_page();
    }
    // With levels, which such a page has raw, other pages are smaller.
    if (version_ == FileVersion::kV22 && !levels_.has_definition && !levels_.has_repetition) {
      if (std::optional<std::string> value = only_value()) {
        return constant_page(rows_, levels_, shape_, value, version_);
      }
    }
    if (shape_.kind == ValueKind::kText) {
      return text_page();
    }
    if (shape_.kind == ValueKind::kFixed && shape_.lists.empty()) {
      return fixed_page();
    }
    return list_page();
  }

 private:
  void find_nulls() {
    value_count_ = rows_.slot_count;
    if (!levels_.has_definition) {
      return;
    }
    slot_nulls_.reserve(rows_.slot_count);
    for (uint64_t event = 0; event < rows_.event_count; ++event) {
      if (levels_.is_visible(event)) {
        slot_nulls_.push_back(levels_.definition[event] != 0 ? 1 : 0);
        value_count_ -= slot_nulls_.back();
      }
    }
  }
  std::span<const uint8_t> value(uint64_t slot) const {
    if (shape_.kind == ValueKind::kText) {
      return rows_.text(slot);
    }
    const uint64_t size = shape_.gathered_bytes();
    return std::span(rows_.values).subspan(slot * size, size);
  }

  // The value that all slots have, none of which is null, if it may stand in a constant page.
  std::optional<std::string> only_value() const {
    constexpr uint64_t kInlineBytesMax = 32;
    if (rows_.slot_count < 2 || !shape_.lists.empty() ||
        shape_.gathered_bytes() > kInlineBytesMax) {
      return std::nullopt;
    }
    const std::span<const uint8_t> only = value(0);
    if (only.size() > kDictionaryBytesMax) {
      return std::nullopt;
    }
    for (uint64_t slot = 1; slot < rows_.slot_count; ++slot) {
      const std::span<const uint8_t> other = value(slot);
      if (other.size() != only.size() ||
          (!only.empty() && std::memcmp(other.data(), only.data(), only.size()) != 0)) {
        return std::nullopt;
      }
    }
    return std::string(only.begin(), only.end());
  }

  // A page of indices into a dictionary, if one exists that with its indices takes less than
  // `other_bytes`.
  std::optional<EncodedPage> dictionary_page(uint64_t other_bytes) const {
    const std::optional<DistinctValues> values = distinct_values(rows_, shape_, slot_nulls_);
    if (!values) {
      return std::nullopt;
    }
    const ChunkValuesPtr indices = integer_values(values->indices, 32);
    const uint64_t offsets =
        shape_.kind == ValueKind::kText ? values->slots.size() * (shape_.large ? 8 : 4) : 0;
    if (indices->estimated_bytes() + values->bytes + offsets >= other_bytes) {
      return std::nullopt;
    }
    return mini_block_page(rows_, levels_, *indices,
                           page_dictionary(rows_, shape_, *values, version_), version_);
  }

  Result<EncodedPage> dictionary_column_page() const {
    WEFT_TRY(const DistinctValues values, all_distinct_values(rows_, shape_, slot_nulls_));
    const ChunkValuesPtr indices = integer_values(values.indices, shape_.index_bits);
    std::optional<EncodedPage> page = mini_block_page(
        rows_, levels_, *indices, page_dictionary(rows_, shape_, values, version_), version_);
    if (!page) {
      return Error(ErrorKind::kLimit, "too many empty lists of dictionary values in one row")
          .with("field", leaf_.steps.back().name)
          .with("events_max", kChunkEventsMax);
    }
    return *std::move(page);
  }

  Result<EncodedPage> text_page() const {
    uint64_t longest = 0;
    for (uint64_t slot = 0; slot < rows_.slot_count; ++slot) {
      longest = std::max(longest, rows_.offsets[slot + 1] - rows_.offsets[slot]);
    }
    const TextCodes codes = encode_texts(rows_, shape_.large, longest);
    const bool zip = longest >= kLongValueBytes;
    const ChunkValuesPtr values =
        text_values(codes.ends(rows_), codes.bytes(rows_), codes.encoding, shape_.large);
    if (std::optional<EncodedPage> page = dictionary_page(values->estimated_bytes())) {
      return *std::move(page);
    }
    if (!zip) {
      if (std::optional<EncodedPage> page =
              mini_block_page(rows_, levels_, *values, std::nullopt, version_)) {
        return *std::move(page);
      }
    }
    return full_zip_text_page(
        rows_, levels_, {codes.ends(rows_), codes.bytes(rows_), codes.encoding, shape_.large});
  }

  Result<EncodedPage> fixed_page() {
    if (!is_integer_width(shape_.bits)) {
      // Decimals and identifiers of 16 bytes repeat like texts.
      constexpr uint32_t kDictionaryBits = 128;
      if (shape_.bits == kDictionaryBits) {
        if (std::optional<EncodedPage> page = dictionary_page(rows_.values.size())) {
          return *std::move(page);
        }
      }
      return list_page();
    }
    const ChunkValuesPtr values = integer_values(rows_.values, shape_.bits);
    // Wide values that do not pack.
    const uint64_t bytes = values->estimated_bytes();
    if (shape_.bits >= 32 && bytes > rows_.slot_count) {
      if (std::optional<EncodedPage> page = dictionary_page(bytes)) {
        return *std::move(page);
      }
    }
    if (std::optional<EncodedPage> page =
            mini_block_page(rows_, levels_, *values, std::nullopt, version_)) {
      return *std::move(page);
    }
    return full_zip_fixed_page(rows_, levels_, shape_);
  }

  // Fixed-size lists, and values of odd sizes: as they are.
  Result<EncodedPage> list_page() {
    const bool is_long = shape_.value_bits() >= kLongValueBytes * 8;
    if (!is_long || shape_.kind == ValueKind::kBits) {
      const ChunkValuesPtr values = flat_values(rows_, shape_);
      if (std::optional<EncodedPage> page =
              mini_block_page(rows_, levels_, *values, std::nullopt, version_)) {
        return *std::move(page);
      }
    }
    if (shape_.kind == ValueKind::kBits) {
      return Error(ErrorKind::kLimit, "too many empty lists of bits in one row")
          .with("field", leaf_.steps.back().name)
          .with("events_max", kChunkEventsMax);
    }
    return full_zip_fixed_page(rows_, levels_, shape_);
  }

  PageRows& rows_;
  const Leaf& leaf_;
  const ValueShape& shape_;
  FileVersion version_;
  Levels levels_;
  std::vector<uint8_t> slot_nulls_;
  uint64_t value_count_ = 0;
};

struct Cut {
  uint64_t event = 0;
  uint64_t row = 0;
};

// Where rows without values begin and end that are long enough for a page of their own.
std::vector<Cut> cuts_around_empty_runs(const PageRows& rows, const Leaf& leaf) {
  std::vector<Cut> cuts;
  const DefinitionCode invisible = first_invisible_code(leaf);
  const auto row_level = static_cast<uint8_t>(leaf.list_count());
  if (rows.repetition.empty() || rows.definition.empty()) {
    return cuts;
  }
  Cut run;  // first row of the current run of rows without values
  uint64_t row = 0;
  for (uint64_t event = 0; event < rows.event_count;) {
    const uint64_t begin = event;
    bool has_value = false;
    do {
      has_value = has_value || is_visible(rows.definition[event], invisible);
      ++event;
    } while (event < rows.event_count && rows.repetition[event] != row_level);
    if (has_value) {
      if (begin - run.event >= kEmptyRunEvents) {
        cuts.push_back(run);
        cuts.push_back({begin, row});
      }
      run = {event, row + 1};
    }
    ++row;
  }
  if (rows.event_count - run.event >= kEmptyRunEvents && run.event != 0) {
    cuts.push_back(run);
  }
  return cuts;
}

}  // namespace

Result<std::vector<EncodedPage>> encode_page(PageRows rows, const Leaf& leaf, FileVersion version) {
  std::vector<EncodedPage> pages;
  std::vector<Cut> cuts = cuts_around_empty_runs(rows, leaf);
  if (cuts.empty()) {
    WEFT_TRY(EncodedPage page, PageEncoder(rows, leaf, version).run());
    pages.push_back(std::move(page));
    return pages;
  }
  cuts.push_back({rows.event_count, rows.row_count});
  Cut begin;
  for (const Cut& end : cuts) {
    if (end.row > begin.row) {
      PageRows part = rows_between(rows, leaf, begin.event, end.event, begin.row, end.row);
      WEFT_TRY(EncodedPage page, PageEncoder(part, leaf, version).run());
      pages.push_back(std::move(page));
    }
    begin = end;
  }
  return pages;
}

}  // namespace weft::lance::write
