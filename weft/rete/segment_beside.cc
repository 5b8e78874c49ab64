// What a segment holds beside its quads.
#include <algorithm>
#include <iterator>
#include <utility>

#include "weft/base/present.h"
#include "weft/rete/damage.h"
#include "weft/rete/file_segment.h"

namespace weft::rete {
namespace {

using storage::Buffer;
using storage::Range;

constexpr size_t kDigestBytes5 = sizeof(codec::Digest16);

template <typename T>
Result<T> placed(const std::string& name, std::string_view section, uint64_t offset,
                 Result<T> result) {
  if (result.ok() || !result.error().fact("file").empty()) {
    return result;
  }
  Error error = std::move(result).error();
  error.add("file", name);
  error.add("section", section);
  error.add("offset", std::to_string(offset));
  return error;
}

}  // namespace

Result<std::optional<std::string>> FileSegment::card() {
  if (header6_.has_value()) {
    const Header6& header = base::present(header6_);
    if (header.card_size == 0) {
      return std::optional<std::string>();
    }
    const Range place{header.card_region_offset() + header.card_offset, header.card_size};
    WEFT_TRY(const std::vector<Buffer> stored, file_.read_raw({&place, 1}, {}));
    if (codec::blake3_16(stored[0].view()) != header.card_digest) {
      return damage("digest of the card differs", name(), "card", place.offset);
    }
    WEFT_TRY(std::string raw,
             placed(name(), "card", place.offset,
                    decompress(header.internal_codec, stored[0].view(), kCardBytesMax)));
    return std::optional(std::move(raw));
  }
  WEFT_TRY(const Roots* const known, roots({}));
  static_cast<void>(known);
  const SectionEntry5* const entry = base::present(header5_).find(SectionKind5::kCard);
  if (entry == nullptr) {
    return std::optional<std::string>();
  }
  if (entry->size > kCardBytesMax) {
    return Error(ErrorKind::kLimit, "card is too long").with("file", name());
  }
  WEFT_TRY(const Buffer bytes, file_.read_one({entry->offset, entry->size}));
  return std::optional(to_text(bytes.view()));
}

Result<std::optional<std::string>> FileSegment::build_record() {
  Range place;
  if (header6_.has_value()) {
    place = {base::present(header6_).card_region_offset() + base::present(header6_).record_offset,
             base::present(header6_).record_size};
  } else if (const SectionEntry5* const entry =
                 base::present(header5_).find(SectionKind5::kBuildRecord);
             entry != nullptr) {
    place = {entry->offset, entry->size};
  }
  if (place.size == 0) {
    return std::optional<std::string>();
  }
  if (place.size > kCardBytesMax) {
    return Error(ErrorKind::kLimit, "build record is too long").with("file", name());
  }
  WEFT_TRY(const std::vector<Buffer> bytes, file_.read_raw({&place, 1}, {}));
  return std::optional(to_text(bytes[0].view()));
}

Status FileSegment::check_absence() const {
  return has_suspicious_section_
             ? Status(damage("a section whose number is damaged may be the one asked for", name(),
                             "header", kDirectoryOffset5))
             : ok_status();
}

Result<std::shared_ptr<const Schema>> FileSegment::schema() {
  WEFT_TRY(const Roots* const known, roots({}));
  const base::MutexLock lock(beside_mutex_);
  if (schema_loaded_) {
    return schema_;
  }
  Range place;
  std::string raw;
  if (header6_.has_value()) {
    place = section6(SectionKind6::kSchema);
    if (place.size > 0) {
      WEFT_TRY(const Buffer stored, file_.read_one(place));
      WEFT_TRY(raw, placed(name(), "schema", place.offset,
                           decompress(base::present(header6_).internal_codec, stored.view(),
                                      block_max6(SectionKind6::kSchema))));
    }
  } else if (const SectionEntry5* const entry = base::present(header5_).find(SectionKind5::kSchema);
             entry != nullptr && entry->size > kDigestBytes5) {
    place = {entry->offset + kDigestBytes5, entry->size - kDigestBytes5};
    WEFT_TRY(const Buffer stored, file_.read_one(place));
    raw = to_text(stored.view());
  } else {
    WEFT_TRY_STATUS(check_absence());
  }
  if (place.size > 0) {
    WEFT_TRY(Schema parsed,
             placed(name(), "schema", place.offset, parse_schema(raw, known->counts.predicates)));
    schema_ = std::make_shared<const Schema>(std::move(parsed));
  }
  schema_loaded_ = true;
  return schema_;
}

Result<TextIndex*> FileSegment::text_index() {
  WEFT_TRY(const Roots* const known, roots({}));
  static_cast<void>(known);
  const base::MutexLock lock(beside_mutex_);
  if (text_ != nullptr) {
    return text_.get();
  }
  if (header6_.has_value()) {
    const std::string* const unit = base::present(root6_).unit(UnitTag6::kText);
    if (unit == nullptr) {
      return nullptr;
    }
    WEFT_TRY(text_, placed(name(), "root", kHeaderBytes6,
                           TextIndex::parse6(loader_, *unit, section6(SectionKind6::kTextLeaves),
                                             section6(SectionKind6::kText),
                                             base::present(header6_).internal_codec,
                                             block_max6(SectionKind6::kTextLeaves))));
    return text_.get();
  }
  const SectionEntry5* const whole = base::present(header5_).find(SectionKind5::kText);
  const SectionEntry5* const partial = base::present(header5_).find(SectionKind5::kTextPartial);
  if (whole == nullptr && partial == nullptr) {
    WEFT_TRY_STATUS(check_absence());
    return nullptr;
  }
  Range place;
  if (whole != nullptr) {
    place = {whole->offset, whole->size};
  } else if (partial->size > kDigestBytes5) {
    place = {partial->offset + kDigestBytes5, partial->size - kDigestBytes5};
  }
  WEFT_TRY(std::unique_ptr<TextIndex> index,
           placed(name(), "text", place.offset,
                  TextIndex::read5(loader_, place, base::present(header5_).block_codec)));
  // The flag is under no hash; the scope is.
  const Result<TextScope> scope = index->scope();
  if (scope.ok() && scope->covers_named_graphs !=
                        ((base::present(header5_).flags & kFlagTextCoversGraphs5) != 0)) {
    return damage("text flag in the header differs from the index", name(), "header", 5);
  }
  text_ = std::move(index);
  return text_.get();
}

Result<std::optional<TextScope>> FileSegment::text_scope() {
  WEFT_TRY(TextIndex* const index, text_index());
  if (index == nullptr) {
    return std::optional<TextScope>();
  }
  WEFT_TRY(TextScope scope, index->scope());
  return std::optional(std::move(scope));
}

Result<std::vector<NodeId>> FileSegment::subjects_with_word(std::string_view word) {
  WEFT_TRY(TextIndex* const index, text_index());
  if (index == nullptr) {
    return std::vector<NodeId>();
  }
  WEFT_TRY(const Roots* const known, roots({}));
  return index->find(word, known->counts.shared + known->counts.subjects);
}

Result<std::optional<std::vector<NodeId>>> FileSegment::subjects_with_text(
    std::span<const rdf::TextNeed> needs, uint64_t subjects_max, std::stop_token stop) {
  std::vector<WordPart> parts;
  for (const rdf::TextNeed& need : needs) {
    std::vector<WordPart> more = word_parts(need);
    parts.insert(parts.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
  if (parts.empty() || !facts_.has_text_index || !facts_.has_canonical_tokens) {
    return std::optional<std::vector<NodeId>>();
  }
  WEFT_TRY(TextIndex* const index, text_index());
  if (index == nullptr) {
    return std::optional<std::vector<NodeId>>();
  }
  WEFT_TRY(const Roots* const known, roots(stop));
  return index->find_parts(parts, known->counts.shared + known->counts.subjects, subjects_max,
                           stop);
}

Result<LabelIndex*> FileSegment::label_index() {
  WEFT_TRY(const Roots* const known, roots({}));
  static_cast<void>(known);
  const base::MutexLock lock(beside_mutex_);
  if (labels_ != nullptr) {
    return labels_.get();
  }
  if (header6_.has_value()) {
    const std::string* const unit = base::present(root6_).unit(UnitTag6::kLabels);
    if (unit == nullptr) {
      return nullptr;
    }
    WEFT_TRY(labels_, placed(name(), "root", kHeaderBytes6,
                             LabelIndex::parse6(loader_, *unit, section6(SectionKind6::kLabels),
                                                section6(SectionKind6::kLabelLeaves),
                                                base::present(header6_).block_codec)));
    return labels_.get();
  }
  const SectionEntry5* const entry = base::present(header5_).find(SectionKind5::kLabels);
  if (entry == nullptr) {
    WEFT_TRY_STATUS(check_absence());
    return nullptr;
  }
  Range place;
  if (entry->size > kDigestBytes5) {
    place = {entry->offset + kDigestBytes5, entry->size - kDigestBytes5};
  }
  WEFT_TRY(labels_, placed(name(), "labels", place.offset,
                           LabelIndex::read5(loader_, place, base::present(header5_).block_codec)));
  return labels_.get();
}

Result<std::vector<LabelMatch>> FileSegment::labels_with_prefix(std::string_view prefix,
                                                                size_t count_max) {
  WEFT_TRY(LabelIndex* const index, label_index());
  std::vector<LabelMatch> matches;
  if (index == nullptr || count_max == 0) {
    return matches;
  }
  WEFT_TRY_STATUS(index->for_each(prefix, [&](const LabelIndex::Entry& entry) {
    matches.push_back({entry.key, entry.label, entry.subject});
    return matches.size() < count_max;
  }));
  return matches;
}

Result<Buffer> FileSegment::pyramid() {
  WEFT_TRY(const Roots* const known, roots({}));
  static_cast<void>(known);
  Range place;
  if (header6_.has_value()) {
    place = section6(SectionKind6::kPyramid);
  } else if (const SectionEntry5* const entry =
                 base::present(header5_).find(SectionKind5::kPyramid);
             entry != nullptr) {
    place = {entry->offset, entry->size};
  }
  if (place.size == 0) {
    return Buffer();
  }
  return file_.read_one(place);
}

Result<std::vector<RawSection>> FileSegment::unknown_sections() {
  WEFT_TRY(const Roots* const known, roots({}));
  static_cast<void>(known);
  std::vector<RawSection> sections;
  if (header6_.has_value()) {
    for (const SectionEntry6& entry : base::present(root6_).sections) {
      const bool is_digests = entry.kind == static_cast<uint8_t>(SectionKind6::kBlockDigests) &&
                              facts_.has_block_digests;
      if (is_digests || !section_name6(entry.kind).starts_with("kind ")) {
        if (is_digests || entry.kind != static_cast<uint8_t>(SectionKind6::kBlockDigests)) {
          continue;
        }
      }
      WEFT_TRY(Buffer bytes,
               file_.read_one({section_offset(base::present(header6_), entry), entry.size}));
      sections.push_back({.kind = entry.kind, .flags = 0, .bytes = std::move(bytes)});
    }
    return sections;
  }
  for (const SectionEntry5& entry : base::present(header5_).sections) {
    if (entry.size == 0 || entry.kind <= static_cast<uint16_t>(SectionKind5::kTextPartial)) {
      continue;
    }
    // Under no hash: read as they are.
    const Range place{entry.offset, entry.size};
    WEFT_TRY(std::vector<Buffer> bytes, file_.read_raw({&place, 1}, {}));
    sections.push_back({.kind = entry.kind, .flags = entry.flags, .bytes = std::move(bytes[0])});
  }
  return sections;
}

}  // namespace weft::rete
