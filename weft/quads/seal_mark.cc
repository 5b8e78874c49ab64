#include "weft/quads/seal_mark.h"

#include <charconv>
#include <memory>

#include "weft/json/value.h"

namespace weft::quads {

std::string seal_record_members(const journal::JournalPosition& sealed) {
  return "\"seal\":{\"journal\":\"" + sealed.journal_id +
         "\",\"sequence\":" + std::to_string(sealed.sequence) + "}";
}

std::optional<journal::JournalPosition> seal_of_record(const std::string& record) {
  const Result<json::Value> parsed = json::parse(record);
  const json::Value* const seal = parsed.ok() ? parsed->find("seal") : nullptr;
  const json::Value* const id = seal != nullptr ? seal->find("journal") : nullptr;
  const json::Value* const sequence = seal != nullptr ? seal->find("sequence") : nullptr;
  if (id == nullptr || sequence == nullptr || id->as_string() == nullptr) {
    return std::nullopt;
  }
  const std::optional<uint64_t> number = sequence->as_uint64();
  return number.has_value() ? std::optional(journal::JournalPosition{.journal_id = *id->as_string(),
                                                                     .sequence = *number})
                            : std::nullopt;
}

Result<std::optional<journal::JournalPosition>> sealed_position(const manifest::Manifest& manifest,
                                                                SegmentSet& segments) {
  if (const std::optional<manifest::SealMark> mark = manifest.sealed(); mark.has_value()) {
    return std::optional(
        journal::JournalPosition{.journal_id = mark->journal_id, .sequence = mark->sequence});
  }
  for (auto use = segments.uses().rbegin(); use != segments.uses().rend(); ++use) {
    if (segments.is_remote(use->segment)) {
      continue;  // a seal writes beside the manifest
    }
    WEFT_TRY(const std::shared_ptr<rete::Segment> segment, segments.segment(use->segment));
    WEFT_TRY(const std::optional<std::string> record, segment->build_record());
    if (!record.has_value()) {
      continue;
    }
    if (std::optional<journal::JournalPosition> sealed = seal_of_record(*record);
        sealed.has_value()) {
      return sealed;
    }
  }
  return std::optional<journal::JournalPosition>();
}

}  // namespace weft::quads
