#include "weft/manifest/document.h"

#include <algorithm>
#include <utility>

namespace weft::manifest {
namespace {

// Members of ours. Programs that do not know them may drop them: nothing depends on them but diff,
// and what was sealed stands in the segments, too.
constexpr std::string_view kOwnMember = "weft";
constexpr std::string_view kEmptyGeneration = "empty_generation";
constexpr std::string_view kReplaced = "replaced";
constexpr std::string_view kSince = "since";
constexpr std::string_view kSealed = "sealed";
constexpr std::string_view kJournal = "journal";
constexpr std::string_view kSequence = "sequence";
constexpr std::string_view kState = "state";
constexpr std::string_view kAt = "at";
constexpr std::string_view kOf = "of";

Error malformed(std::string text) {
  return {ErrorKind::kCorrupt, "manifest: " + std::move(text)};
}

std::optional<uint64_t> integer(const json::Value& object, std::string_view name) {
  const json::Value* member = object.find(name);
  return member == nullptr ? std::nullopt : member->as_uint64();
}

const std::string* string(const json::Value& object, std::string_view name) {
  const json::Value* member = object.find(name);
  return member == nullptr ? nullptr : member->as_string();
}

std::optional<codec::Digest16> parse_hash(std::string_view text) {
  codec::Digest16 hash;
  if (text.size() != 2 * hash.size()) {
    return std::nullopt;
  }
  const auto digit = [](char c) -> unsigned {
    if (c >= '0' && c <= '9') {
      return static_cast<unsigned>(c - '0');
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16;
  };
  for (size_t i = 0; i < hash.size(); ++i) {
    const unsigned high = digit(text[2 * i]);
    const unsigned low = digit(text[2 * i + 1]);
    if (high > 15 || low > 15) {
      return std::nullopt;
    }
    hash[i] = static_cast<std::byte>(high << 4U | low);
  }
  return hash;
}

// Brings the hash of `value` to lower case, as rete does.
Result<SegmentPin> parse_pin(json::Value& value, const std::string& place) {
  SegmentPin pin;
  const std::string* url = string(value, "url");
  if (url == nullptr) {
    return malformed(place + ": missing string `url`");
  }
  pin.url = *url;
  const std::optional<uint64_t> size = integer(value, "size");
  if (!size.has_value()) {
    return malformed(place + ": missing integer `size`");
  }
  pin.size_bytes = *size;
  const std::string* hash = string(value, "blake3_16");
  if (hash == nullptr) {
    return malformed(place + ": missing string `blake3_16`");
  }
  const std::optional<codec::Digest16> digest = parse_hash(*hash);
  if (!digest.has_value()) {
    std::string quoted;
    json::append_quoted(quoted, *hash);
    return malformed(place + ": `blake3_16` must be 32 hex chars, got " + quoted);
  }
  pin.hash = *digest;
  value.set("blake3_16", json::Value::string(hash_text(pin.hash)));
  return pin;
}

Result<LogEntry> parse_entry(json::Value& value, const std::string& place) {
  LogEntry entry;
  for (const Role role : {Role::kAdds, Role::kDels}) {
    const std::string_view name = role_name(role);
    json::Value* member = value.find(name);
    if (member != nullptr && member->is_null()) {
      value.remove(name);
      member = nullptr;
    }
    if (member != nullptr) {
      WEFT_TRY(SegmentPin pin, parse_pin(*member, place + "." + std::string(name)));
      (role == Role::kAdds ? entry.adds : entry.dels) = std::move(pin);
    }
  }
  if (!entry.adds.has_value() && !entry.dels.has_value()) {
    return malformed(place + ": needs `adds` and/or `dels`");
  }
  return entry;
}

Result<std::vector<LogEntry>> parse_log(json::Value& document) {
  json::Value* member = document.find("log");
  if (member == nullptr || !member->is_array()) {
    return malformed("missing array `log`");
  }
  std::vector<LogEntry> log;
  log.reserve(member->items().size());
  for (json::Value& item : member->mutable_items()) {
    WEFT_TRY(LogEntry entry, parse_entry(item, "log[" + std::to_string(log.size()) + "]"));
    log.push_back(std::move(entry));
  }
  return log;
}

json::Value pin_value(const SegmentPin& pin) {
  json::Value value = json::Value::object();
  value.set("url", json::Value::string(pin.url));
  value.set("size", json::Value::number(pin.size_bytes));
  value.set("blake3_16", json::Value::string(hash_text(pin.hash)));
  return value;
}

json::Value entry_value(const LogEntry& entry) {
  json::Value value = json::Value::object();
  if (entry.adds.has_value()) {
    value.set("adds", pin_value(*entry.adds));
  }
  if (entry.dels.has_value()) {
    value.set("dels", pin_value(*entry.dels));
  }
  return value;
}

// The member of ours, if it is as we write it.
json::Value own_of(const json::Value& document) {
  const json::Value* own = document.find(kOwnMember);
  return own != nullptr && own->is_object() ? *own : json::Value::object();
}

json::Value mark_value(const SealMark& sealed) {
  json::Value mark = json::Value::object();
  mark.set(kJournal, json::Value::string(sealed.journal_id));
  mark.set(kSequence, json::Value::number(sealed.sequence));
  return mark;
}

// A log and the generations of which it shows prefixes: every writer appends one entry per
// generation.
struct Lineage {
  std::vector<LogEntry> log;
  uint64_t last = 0;   // the generation that the whole log shows
  uint64_t first = 0;  // the earliest one that a prefix shows

  Lineage(std::vector<LogEntry> entries, uint64_t generation, const json::Value& own)
      : log(std::move(entries)), last(generation) {
    const std::optional<uint64_t> since = integer(own, kSince);
    const std::optional<uint64_t> empty = integer(own, kEmptyGeneration);
    const uint64_t before_log = last - std::min<uint64_t>(last, log.size());
    // What stood before the first entry is only known if a graph began empty: a log may have been
    // compacted to its first entry by a program that does not say so.
    first = empty == before_log || log.empty() ? before_log : before_log + 1;
    first = since.has_value() ? std::max(first, *since) : first;
    first = std::min(first, last);
  }

  std::optional<size_t> entries_at(uint64_t generation) const {
    if (generation < first || generation > last) {
      return std::nullopt;
    }
    return log.size() - static_cast<size_t>(last - generation);
  }
  std::vector<LogEntry> prefix(size_t entries) const {
    return {log.begin(), log.begin() + static_cast<ptrdiff_t>(entries)};
  }
};

// The log that the last compaction replaced, if it was remembered.
std::optional<Lineage> replaced_lineage(const json::Value& own) {
  const json::Value* kept = own.find(kReplaced);
  if (kept == nullptr || !kept->is_object()) {
    return std::nullopt;
  }
  json::Value replaced = *kept;
  Result<std::vector<LogEntry>> log = parse_log(replaced);
  const std::optional<uint64_t> last = integer(replaced, "generation");
  if (!log.ok() || !last.has_value()) {
    return std::nullopt;
  }
  return Lineage(std::move(log).value(), *last, replaced);
}

}  // namespace

std::string_view role_name(Role role) {
  return role == Role::kAdds ? "adds" : "dels";
}

std::string hash_text(const codec::Digest16& hash) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const std::byte octet : hash) {
    text += kHex[std::to_integer<size_t>(octet >> 4U)];
    text += kHex[std::to_integer<size_t>(octet & std::byte{15})];
  }
  return text;
}

Manifest Manifest::create(std::string_view name, const std::optional<SegmentPin>& base) {
  Manifest manifest;
  manifest.name_ = name;
  manifest.generation_ = 1;
  json::Value log = json::Value::array();
  json::Value own = json::Value::object();
  if (base.has_value()) {
    manifest.log_.push_back({.adds = base, .dels = {}});
    log.mutable_items().push_back(entry_value(manifest.log_.back()));
  } else {
    own.set(kEmptyGeneration, json::Value::number(manifest.generation_));
  }
  manifest.document_ = json::Value::object();
  manifest.document_.set("rete_manifest", json::Value::number(kManifestVersion));
  manifest.document_.set("name", json::Value::string(name));
  manifest.document_.set("generation", json::Value::number(manifest.generation_));
  manifest.document_.set("log", std::move(log));
  if (!own.members().empty()) {
    manifest.document_.set(kOwnMember, std::move(own));
  }
  return manifest;
}

Manifest Manifest::before_first(std::string_view name) {
  Manifest manifest = create(name, std::nullopt);
  manifest.generation_ = 0;
  manifest.document_.set("generation", json::Value::number(uint64_t{0}));
  return manifest;
}

Result<Manifest> Manifest::parse(std::string_view text) {
  Result<json::Value> parsed = json::parse(text, {.size_max_bytes = kManifestSizeMaxBytes});
  if (!parsed.ok()) {
    const Error& reason = parsed.error();
    Error error(reason.kind() == ErrorKind::kLimit ? ErrorKind::kLimit : ErrorKind::kCorrupt,
                "manifest: " + reason.message());
    for (const Error::Fact& fact : reason.facts()) {
      error.add(fact.key, fact.value);
    }
    return error;
  }
  Manifest manifest;
  manifest.document_ = std::move(parsed).value();
  const std::optional<uint64_t> version = integer(manifest.document_, "rete_manifest");
  if (!version.has_value()) {
    return malformed("missing integer `rete_manifest` version field");
  }
  if (*version != kManifestVersion) {
    return Error(ErrorKind::kUnsupported, "manifest: version " + std::to_string(*version) +
                                              " not supported (this build reads 1)");
  }
  const std::string* name = string(manifest.document_, "name");
  if (name == nullptr) {
    return malformed("missing string `name`");
  }
  manifest.name_ = *name;
  const std::optional<uint64_t> generation = integer(manifest.document_, "generation");
  if (!generation.has_value()) {
    return malformed("missing integer `generation`");
  }
  manifest.generation_ = *generation;
  WEFT_TRY(manifest.log_, parse_log(manifest.document_));
  return manifest;
}

std::string Manifest::text() const {
  return json::write(document_, {.indent = 2, .sort_members = true}) + "\n";
}

Status Manifest::raise_generation() {
  if (generation_ == UINT64_MAX) {
    return Error(ErrorKind::kLimit, "manifest: the generation is the last one there is")
        .with("generation", generation_);
  }
  ++generation_;
  document_.set("generation", json::Value::number(generation_));
  return ok_status();
}

Status Manifest::append(const LogEntry& entry) {
  if (!entry.adds.has_value() && !entry.dels.has_value()) {
    return Error(ErrorKind::kInvalid, "manifest: an entry needs `adds` and/or `dels`");
  }
  WEFT_TRY_STATUS(raise_generation());
  log_.push_back(entry);
  document_.find("log")->mutable_items().push_back(entry_value(entry));
  return ok_status();
}

Status Manifest::append_sealed(const LogEntry& entry, const SealMark& sealed, bool is_same_state) {
  const uint64_t state = state_generation();
  WEFT_TRY_STATUS(append(entry));
  json::Value own = own_of(document_);
  own.set(kSealed, mark_value(sealed));
  document_.set(kOwnMember, std::move(own));
  if (is_same_state) {
    keep_state(state);
  }
  return ok_status();
}

Status Manifest::rewrite(const std::vector<SegmentPin>& all, const SealMark& sealed) {
  WEFT_TRY_STATUS(raise_generation());
  json::Value log = json::Value::array();
  log_.clear();
  for (const SegmentPin& pin : all) {
    log_.push_back({.adds = pin, .dels = {}});
    log.mutable_items().push_back(entry_value(log_.back()));
  }
  json::Value own = own_of(document_);
  own.remove(kReplaced);
  own.remove(kEmptyGeneration);
  if (all.empty()) {
    own.set(kEmptyGeneration, json::Value::number(generation_));
  }
  own.set(kSince, json::Value::number(generation_));
  own.set(kSealed, mark_value(sealed));
  document_.set(kOwnMember, std::move(own));
  document_.set("log", std::move(log));
  return ok_status();
}

std::optional<SealMark> Manifest::sealed() const {
  const json::Value own = own_of(document_);
  const json::Value* const mark = own.find(kSealed);
  const std::string* const id = mark != nullptr ? string(*mark, kJournal) : nullptr;
  const std::optional<uint64_t> sequence =
      mark != nullptr ? integer(*mark, kSequence) : std::nullopt;
  return id != nullptr && sequence.has_value()
             ? std::optional(SealMark{.journal_id = *id, .sequence = *sequence})
             : std::nullopt;
}

uint64_t Manifest::state_generation() const {
  const json::Value own = own_of(document_);
  const json::Value* const state = own.find(kState);
  const std::optional<uint64_t> at = state != nullptr ? integer(*state, kAt) : std::nullopt;
  const std::optional<uint64_t> of = state != nullptr ? integer(*state, kOf) : std::nullopt;
  return at == generation_ && of.has_value() ? *of : generation_;
}

void Manifest::keep_state(uint64_t state_generation) {
  json::Value own = own_of(document_);
  json::Value state = json::Value::object();
  state.set(kAt, json::Value::number(generation_));
  state.set(kOf, json::Value::number(state_generation));
  own.set(kState, std::move(state));
  document_.set(kOwnMember, std::move(own));
}

Status Manifest::compact(size_t entries, const SegmentPin& compacted) {
  WEFT_CHECK(entries <= log_.size());
  const uint64_t state = state_generation();
  json::Value own = own_of(document_);
  json::Value replaced = json::Value::object();
  replaced.set("generation", json::Value::number(generation_));
  for (const std::string_view member : {kEmptyGeneration, kSince}) {
    if (const std::optional<uint64_t> known = integer(own, member); known.has_value()) {
      replaced.set(member, json::Value::number(*known));
    }
    own.remove(member);
  }
  WEFT_TRY_STATUS(raise_generation());
  json::Value log = *document_.find("log");
  json::Value::Array kept(log.items().begin() + static_cast<ptrdiff_t>(entries), log.items().end());
  log_.erase(log_.begin(), log_.begin() + static_cast<ptrdiff_t>(entries));
  log_.insert(log_.begin(), {.adds = compacted, .dels = {}});
  kept.insert(kept.begin(), entry_value(log_.front()));
  if (log.items().size() <= kReplacedLogEntriesMax) {
    replaced.set("log", std::move(log));
    own.set(kReplaced, std::move(replaced));
  } else {
    own.remove(kReplaced);
  }
  own.set(kSince, json::Value::number(generation_));
  document_.set(kOwnMember, std::move(own));
  document_.set("log", json::Value::array(std::move(kept)));
  keep_state(state);
  return ok_status();
}

Result<std::vector<LogEntry>> Manifest::log_at(uint64_t generation) const {
  WEFT_TRY(History history, this->history(generation, generation));
  return std::move(history.log);
}

Result<Manifest::History> Manifest::history(uint64_t from, uint64_t to) const {
  if (from > to) {
    return Error(ErrorKind::kInvalid, "manifest: the first generation must not be the later one")
        .with("from", from)
        .with("to", to);
  }
  const auto unknown = [this](uint64_t generation) {
    return Error(ErrorKind::kNotFound, "manifest: this generation is not known any more")
        .with("generation", generation)
        .with("current_generation", generation_)
        .with("log_entries", log_.size());
  };
  if (to == 0) {
    return History{};
  }
  const json::Value own = own_of(document_);
  const Lineage current(log_, generation_, own);
  const std::optional<Lineage> replaced = replaced_lineage(own);
  const bool to_is_current = current.entries_at(to).has_value();
  if (!to_is_current && !(replaced.has_value() && replaced->entries_at(to).has_value())) {
    return unknown(to);
  }
  const Lineage& last = to_is_current ? current : *replaced;
  if (from == 0) {
    return History{.log = last.prefix(*last.entries_at(to)), .from_entries = 0};
  }
  if (const std::optional<size_t> entries = last.entries_at(from); entries.has_value()) {
    return History{.log = last.prefix(*last.entries_at(to)), .from_entries = *entries};
  }
  const std::optional<size_t> entries =
      to_is_current && replaced.has_value() ? replaced->entries_at(from) : std::nullopt;
  const std::optional<uint64_t> since = integer(own, kSince);
  // A document that says it was compacted after its own generation, or before its log, knows less.
  const std::optional<size_t> begin =
      since.has_value() && *since <= to ? current.entries_at(*since) : std::nullopt;
  if (!entries.has_value() || !begin.has_value() || replaced->last + 1 != *since) {
    return unknown(from);
  }
  History history{.log = replaced->log, .from_entries = *entries};
  history.log.insert(history.log.end(), log_.begin() + static_cast<ptrdiff_t>(*begin),
                     log_.begin() + static_cast<ptrdiff_t>(*current.entries_at(to)));
  return history;
}

}  // namespace weft::manifest
