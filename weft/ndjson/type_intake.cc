#include "weft/ndjson/type_intake.h"

#include <algorithm>
#include <utility>

#include "weft/base/ulid.h"
#include "weft/json/value.h"
#include "weft/ndjson/table_columns.h"

namespace weft::ndjson {
namespace {

constexpr size_t kSource = SIZE_MAX;
constexpr size_t kTarget = SIZE_MAX - 1;

bool is_reserved_member(std::string_view name) {
  return name == "_tombstone" || (name != "id" && schema::is_reserved_property(name));
}

// Each text with its length before it: no two lists of texts have one joined text.
void append_sized(std::string& out, const std::string& text) {
  out += std::to_string(text.size()) + ":" + text;
}

}  // namespace

TypeIntake::TypeIntake(const schema::NodeType& type, const LoadOptions& options)
    : TypeIntake(type, &type, nullptr, options) {}

TypeIntake::TypeIntake(const schema::EdgeType& type, const LoadOptions& options)
    : TypeIntake(type, nullptr, &type, options) {}

TypeIntake::TypeIntake(const schema::EntityType& type, const schema::NodeType* node,
                       const schema::EdgeType* edge, const LoadOptions& options)
    : type_(type),
      node_(node),
      edge_(edge),
      options_(options),
      schema_(node != nullptr ? node_columns(*node) : edge_columns(*edge)),
      first_property_(node != nullptr ? 1 : 3),
      wanted_(type.properties.size(), false),
      present_(type.properties.size(), false),
      texts_(type.properties.size()) {
  const auto index_of = [&type](std::string_view name) {
    return static_cast<size_t>(type.find(name) - type.properties.data());
  };
  for (const schema::Property& property : type.properties) {
    readers_.emplace_back(property, type, node);
  }
  if (node != nullptr) {
    for (const std::string& member : node->key) {
      key_.push_back(index_of(member));
      wanted_[key_.back()] = true;
    }
  }
  for (const auto& members : type.uniques) {
    Unique unique = {&members, {}, {}};
    for (const std::string& member : members) {
      const bool endpoint = type.find(member) == nullptr;
      unique.indices.push_back(!endpoint ? index_of(member) : member == "src" ? kSource : kTarget);
      if (!endpoint) {
        wanted_[unique.indices.back()] = true;
      }
    }
    uniques_.push_back(std::move(unique));
  }
  begin_columns();
}

void TypeIntake::begin_columns() {
  columns_.clear();
  for (const columns::Field& field : schema_->fields) {
    columns_.emplace_back(field.type);
  }
  lines_.clear();
  batch_bytes_ = 0;
  has_given_ids_ = false;
}

uint64_t TypeIntake::tracking_bytes() const {
  uint64_t bytes = ids_.memory_bytes();
  for (const Unique& unique : uniques_) {
    bytes += unique.values.memory_bytes();
  }
  return bytes;
}

bool TypeIntake::read_row(JsonReader* data, const Row& row, base::WallTime now,
                          base::Random& random, Violations& violations) {
  std::fill(present_.begin(), present_.end(), false);
  for (auto& text : texts_) {
    text.reset();
  }
  given_id_.reset();
  bad_id_ = false;
  const bool read = data == nullptr || read_members(*data, row, violations);
  for (size_t i = 0; read && i < present_.size(); ++i) {
    if (!present_[i]) {
      readers_[i].absent(row.line, columns_[first_property_ + i], violations);
    }
  }
  if (!read) {
    begin_columns();  // uneven now; nothing of this load will be kept
    return false;
  }
  const std::string id = make_id(row, now, random, violations);
  columns_[0].append_text(id);
  if (edge_ != nullptr) {
    columns_[1].append_text(*row.from);
    columns_[2].append_text(*row.to);
  }
  check_uniques(row, id, violations);
  lines_.push_back(row.line);
  batch_bytes_ += row.bytes;
  ++row_count_;
  if (!keep_rows_ && lines_.size() >= options_.batch_rows_max) {
    begin_columns();
  }
  return true;
}

size_t TypeIntake::find_property(const std::string& name) {
  const size_t count = type_.properties.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t at = (hint_ + i) % count;
    if (type_.properties[at].name == name) {
      hint_ = at + 1;
      return at;
    }
  }
  return count;
}

bool TypeIntake::read_members(JsonReader& data, const Row& row, Violations& violations) {
  bool more = true;
  bool seen_id = false;
  hint_ = 0;
  if (!data.begin_object()) {
    return false;
  }
  std::set<std::string> unknown;
  while (data.next_member(member_, more) && more) {
    const size_t at = find_property(member_);
    const bool is_id = member_ == "id";
    const bool repeated =
        is_id ? std::exchange(seen_id, true)
              : (at < present_.size() ? present_[at] : !unknown.insert(member_).second);
    if (repeated) {
      violations.add(row.line, "input", "member \"" + member_ + "\" of data stands twice");
      if (!data.skip_value()) {
        return false;
      }
      continue;
    }
    if (is_id) {
      if (!read_given_id(data, row, violations)) {
        return false;
      }
      continue;
    }
    if (at == present_.size()) {
      refuse_member(member_, row, violations);
      if (!data.skip_value()) {
        return false;
      }
      continue;
    }
    present_[at] = true;
    if (!readers_[at].read(data, row.line, columns_[first_property_ + at], violations,
                           wanted_[at] ? &texts_[at] : nullptr)) {
      return false;
    }
  }
  return data.reason().empty();
}

bool TypeIntake::read_given_id(JsonReader& data, const Row& row, Violations& violations) {
  if (data.peek() == JsonKind::kString) {
    given_id_.emplace();
    return data.read_string(*given_id_);
  }
  bad_id_ = true;
  const size_t begin = data.offset();
  const bool skipped = data.skip_value();
  violations.add(row.line, "value",
                 "id of " + type_.name + " must be a text, not " +
                     shown(data.line().substr(begin, data.offset() - begin)));
  return skipped;
}

void TypeIntake::refuse_member(const std::string& name, const Row& row,
                               Violations& violations) const {
  if (is_reserved_member(name)) {
    violations.add(row.line, "reserved_name",
                   "member " + shown(name) + " of " + type_.name + " is reserved");
  } else if (edge_ != nullptr && (name == "src" || name == "dst")) {
    violations.add(row.line, "input",
                   "member " + name + " of an edge's data: its ends are `from` and `to` beside it");
  } else {
    violations.add(row.line, "unknown_property",
                   type_.name + " has no property \"" + shown(name) + "\"");
  }
}

// The canonical id of a keyed node; nullopt if a member is missing.
std::optional<std::string> TypeIntake::key_text() const {
  if (key_.size() == 1) {
    return texts_[key_[0]];
  }
  std::string text = "[";
  for (const size_t member : key_) {
    if (!texts_[member].has_value()) {
      return std::nullopt;
    }
    if (text.size() > 1) {
      text += ',';
    }
    json::append_quoted(text, *texts_[member]);
  }
  return text + "]";
}

std::string TypeIntake::make_id(const Row& row, base::WallTime now, base::Random& random,
                                Violations& violations) {
  std::string id;
  if (!key_.empty()) {
    const auto key = key_text();
    if (!key.has_value()) {
      return "";  // reported as missing
    }
    id = *key;
    if (given_id_.has_value() && *given_id_ != id) {
      violations.add(row.line, "noncanonical_id",
                     "id of " + type_.name + " is \"" + shown(*given_id_) +
                         "\", its key makes it \"" + shown(id) + "\"");
    }
  } else if (given_id_.has_value()) {
    id = *given_id_;
  } else if (bad_id_) {
    return "";
  } else {
    // Nothing else has it: it need not be remembered.
    return base::Ulid::make(now, random).text();
  }
  if (id.size() > kIdBytesMax) {
    violations.add(row.line, "limit",
                   "id of " + type_.name + " has " + std::to_string(id.size()) +
                       " bytes, which is more than " + std::to_string(kIdBytesMax));
  }
  has_given_ids_ = true;
  if (const auto first = ids_.insert(DigestMap::digest(id), row.line); first.has_value()) {
    std::string members;
    for (const size_t member : key_) {
      members += (members.empty() ? "" : ", ") + type_.properties[member].name;
    }
    violations.add(row.line, "unique",
                   type_.name + " " + (key_.empty() ? "id" : "key (" + members + ")") + " \"" +
                       shown(id) + standing_in(*first));
  }
  return id;
}

std::string TypeIntake::standing_in(uint64_t first_line) const {
  return options_.names_lines ? "\" stands in line " + std::to_string(first_line) + " already"
                              : "\" is in another row of it already";
}

void TypeIntake::check_uniques(const Row& row, const std::string& id, Violations& violations) {
  // A fresh id tells nobody which row it is.
  const std::string named = key_.empty() && !given_id_ ? "" : " \"" + shown(id) + "\"";
  for (Unique& unique : uniques_) {
    std::string tuple;
    std::string shown_tuple;
    bool exempt = false;
    for (const size_t index : unique.indices) {
      const std::string* const text = index == kSource            ? row.from
                                      : index == kTarget          ? row.to
                                      : texts_[index].has_value() ? &*texts_[index]
                                                                  : nullptr;
      exempt = exempt || text == nullptr;
      if (text != nullptr) {
        append_sized(tuple, *text);
        shown_tuple += (shown_tuple.empty() ? "" : ", ") + *text;
      }
    }
    if (exempt) {
      continue;
    }
    if (const auto first = unique.values.insert(DigestMap::digest(tuple), row.line);
        first.has_value()) {
      std::string members;
      for (const std::string& member : *unique.members) {
        members += (members.empty() ? "" : ", ") + member;
      }
      violations.add(row.line, "unique",
                     "@unique(" + members + ") of " + type_.name + named + ": \"" +
                         shown(shown_tuple) + standing_in(*first));
    }
  }
}

bool TypeIntake::take(bool all, TypedBatch& out) {
  const bool full =
      lines_.size() >= options_.batch_rows_max || batch_bytes_ >= options_.batch_bytes_max;
  if (!keep_rows_ || lines_.empty() || (!full && !all)) {
    return false;
  }
  std::vector<columns::ArrayPtr> arrays;
  for (columns::ArrayBuilder& column : columns_) {
    arrays.push_back(column.finish());
  }
  auto batch = columns::Batch::make(schema_, std::move(arrays), lines_.size());
  WEFT_CHECK(batch.ok());
  out = {type_.name, edge_ != nullptr, *std::move(batch), std::move(lines_), has_given_ids_};
  begin_columns();
  return true;
}

void TypeIntake::drop_rows() {
  keep_rows_ = false;
  begin_columns();
}

}  // namespace weft::ndjson
