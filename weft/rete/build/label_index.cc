#include "weft/rete/build/label_index.h"

#include <algorithm>
#include <map>
#include <vector>

#include "weft/rete/build/label_blocks.h"
#include "weft/rete/build/unicode_text.h"
#include "weft/rete/lower_case.h"

namespace weft::rete::build {
namespace {

struct LabelPredicate {
  std::string_view token;
  LabelSlot slot;
};
constexpr LabelPredicate kLabelPredicates[] = {
    {"<http://www.w3.org/2000/01/rdf-schema#label>", LabelSlot::kDirect},
    {"<http://www.w3.org/2004/02/skos/core#prefLabel>", LabelSlot::kDirect},
    {"<http://www.w3.org/2004/02/skos/core#altLabel>", LabelSlot::kDirect},
    {"<http://xmlns.com/foaf/0.1/name>", LabelSlot::kDirect},
    {"<http://purl.org/dc/terms/title>", LabelSlot::kDirect},
    {"<http://purl.org/dc/elements/1.1/title>", LabelSlot::kDirect},
    {"<http://schema.org/name>", LabelSlot::kDirect},
    {"<http://xmlns.com/foaf/0.1/familyName>", LabelSlot::kFamily},
    {"<http://xmlns.com/foaf/0.1/lastName>", LabelSlot::kFamily},
    {"<http://xmlns.com/foaf/0.1/surname>", LabelSlot::kFamily},
    {"<http://xmlns.com/foaf/0.1/family_name>", LabelSlot::kFamily},
    {"<http://schema.org/familyName>", LabelSlot::kFamily},
    {"<http://www.w3.org/2006/vcard/ns#family-name>", LabelSlot::kFamily},
    {"<http://xmlns.com/foaf/0.1/givenName>", LabelSlot::kGiven},
    {"<http://xmlns.com/foaf/0.1/firstName>", LabelSlot::kGiven},
    {"<http://xmlns.com/foaf/0.1/givenname>", LabelSlot::kGiven},
    {"<http://schema.org/givenName>", LabelSlot::kGiven},
    {"<http://www.w3.org/2006/vcard/ns#given-name>", LabelSlot::kGiven},
};

constexpr size_t kHeadBytes = 5;  // subject and slot

void append_big_endian(std::string& out, uint32_t value) {
  for (unsigned shift = 32; shift > 0; shift -= 8) {
    out.push_back(static_cast<char>(static_cast<uint8_t>(value >> (shift - 8))));
  }
}

uint32_t big_endian(std::string_view text) {
  uint32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    value = value << 8U | static_cast<uint8_t>(c);
  }
  return value;
}

// The labels of one subject, as they come: ascending by slot and label.
struct SubjectLabels {
  uint32_t subject = 0;
  std::vector<std::string> direct;
  std::string family;  // the smallest ones; empty: none
  std::string given;

  void add(LabelSlot slot, std::string_view label) {
    if (slot == LabelSlot::kDirect) {
      direct.emplace_back(label);
    } else if (std::string& name = slot == LabelSlot::kFamily ? family : given; name.empty()) {
      name = label;
    }
  }
  // By key; of several labels with one key the smallest.
  std::map<std::string, std::string> by_key() const {
    std::map<std::string, std::string> keys;
    for (const std::string& label : direct) {
      keys.emplace(to_lower_case(label), label);  // ascending: the first one is the smallest
    }
    if (direct.empty() && !(family.empty() && given.empty())) {
      const std::string separator = family.empty() || given.empty() ? "" : ", ";
      const std::string label = normalize_label(family + separator + given);
      keys.emplace(to_lower_case(label), label);
    }
    return keys;
  }
};

}  // namespace

std::optional<LabelSlot> label_slot(std::string_view predicate) {
  for (const LabelPredicate& known : kLabelPredicates) {
    if (known.token == predicate) {
      return known.slot;
    }
  }
  return std::nullopt;
}

Status LabelCollector::accept_pos(std::span<const Row<3>> rows) {
  const auto by_id = [](const Row<3>& row, uint32_t id) { return row.at[1] < id; };
  for (const auto& [predicate, slot] : predicates_) {
    auto row = std::lower_bound(rows.begin(), rows.end(), predicate, by_id);
    for (; row != rows.end() && row->at[1] == predicate; ++row) {
      if (row->at[2] != object_) {
        object_ = row->at[2];
        WEFT_TRY(const std::string_view token, objects_.at(object_));
        label_ = token.front() == '"' ? normalize_label(literal_value(token)) : "";
      }
      if (!label_.empty()) {
        std::string entry;
        append_big_endian(entry, row->at[0]);
        entry.push_back(static_cast<char>(slot));
        entry += label_;
        WEFT_TRY_STATUS(found_.add(entry));
      }
    }
  }
  return ok_status();
}

// Groups by subject; what goes on is (key, subject token, label).
Status LabelCollector::sort_labels(StringSorter& sorted) {
  RoleReader subjects(*dictionary_, DictSection::kSubjects, restart_interval_,
                      space_->codec.compresses());
  SubjectLabels open;
  const auto close = [&]() -> Status {
    if (open.subject == 0) {
      return ok_status();
    }
    WEFT_TRY(const std::string_view token, subjects.at(open.subject));
    for (const auto& [key, label] : open.by_key()) {
      WEFT_TRY_STATUS(sorted.add(pack_label({key, token, label})));
    }
    return ok_status();
  };
  WEFT_TRY_STATUS(found_.for_each([&](std::string_view entry) -> Status {
    const uint32_t subject = big_endian(entry);
    if (subject != open.subject) {
      WEFT_TRY_STATUS(close());
      open = {.subject = subject, .direct = {}, .family = {}, .given = {}};
    }
    open.add(static_cast<LabelSlot>(entry[4]), entry.substr(kHeadBytes));
    return ok_status();
  }));
  return close();
}

Result<std::optional<LabelParts>> LabelCollector::finish() {
  StringSorter sorted(*space_);
  WEFT_TRY_STATUS(sort_labels(sorted));
  LabelBlockWriter writer(*space_);
  WEFT_TRY_STATUS(sorted.for_each([&writer](std::string_view packed) {
    const UnpackedLabel label = unpack_label(packed);
    return writer.add({label.key, label.subject, label.label});
  }));
  return writer.finish();
}

}  // namespace weft::rete::build
