#include "weft/rete/build/schema_writer.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "weft/codec/varint.h"
#include "weft/rete/build/schema_classes.h"
#include "weft/rete/build/term_reader.h"

namespace weft::rete::build {
namespace {

using codec::append_varint;

constexpr char kSchemaVersion = 1;
constexpr char kTagStatistics = 3;
constexpr char kTagSets = 4;
constexpr char kTagClasses = 2;
constexpr size_t kSetsStoredMax = 128;
constexpr size_t kHierarchyMax = 512;
constexpr uint32_t kLevelsMax = 6;
constexpr size_t kRollupMax = 64;
constexpr size_t kLinksMax = 128;
constexpr size_t kCyclesMax = 64;

void append_statistics(std::string& out, const SchemaCounts& counts) {
  std::string body;
  uint64_t listed = 0;
  std::string entries;
  for (size_t i = 0; i < counts.predicates.size(); ++i) {
    const PredicateCounts& predicate = counts.predicates[i];
    if (predicate.triples == 0) {
      continue;  // in named graphs only
    }
    ++listed;
    for (const uint64_t value :
         {i + 1, predicate.triples, predicate.subjects, predicate.objects,
          predicate.objects_per_subject_max, predicate.subjects_per_object_max}) {
      append_varint(entries, value);
    }
  }
  append_varint(body, listed);
  body += entries;
  out.push_back(kTagStatistics);
  codec::append_length_prefixed(out, body);
}

void append_sets(std::string& out, const SchemaCounts& counts) {
  auto sets = counts.sets;
  const size_t stored = std::min(sets.size(), kSetsStoredMax);
  std::partial_sort(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(stored), sets.end(),
                    [](const auto& a, const auto& b) {
                      return a.second != b.second ? a.second > b.second : a.first < b.first;
                    });
  std::string body;
  append_varint(body, stored);
  for (size_t i = 0; i < stored; ++i) {
    append_varint(body, sets[i].first.size());
    for (const uint32_t predicate : sets[i].first) {
      append_varint(body, predicate);
    }
    append_varint(body, sets[i].second);
  }
  out.push_back(kTagSets);
  codec::append_length_prefixed(out, body);
}

// Names in the order of their first use.
class NameTable {
 public:
  void append(std::string& out, std::string_view name) {
    const auto [entry, is_new] = numbers_.try_emplace(std::string(name), names_.size());
    if (is_new) {
      names_.push_back(&entry->first);
    }
    append_varint(out, entry->second);
  }
  void append_all(std::string& out) const {
    append_varint(out, names_.size());
    for (const std::string* name : names_) {
      codec::append_length_prefixed(out, *name);
    }
  }

 private:
  std::map<std::string, size_t, std::less<>> numbers_;  // its keys stay where they are
  std::vector<const std::string*> names_;
};

struct NamedLink {
  ClassNumber subject_class;
  uint32_t predicate;
  ClassNumber object_class;
  friend auto operator<=>(const NamedLink&, const NamedLink&) = default;
};

// The entries with the largest counts, ties by key, at most `size_max`.
template <typename Key>
std::vector<std::pair<Key, uint64_t>> most_frequent(const std::map<Key, uint64_t>& counts,
                                                    size_t size_max) {
  std::vector<std::pair<Key, uint64_t>> entries(counts.begin(), counts.end());
  const size_t kept = std::min(entries.size(), size_max);
  std::partial_sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept),
                    entries.end(), [](const auto& a, const auto& b) {
                      return a.second != b.second ? a.second > b.second : a.first < b.first;
                    });
  entries.resize(kept);
  return entries;
}

class ClassPart {
 public:
  ClassPart(const SchemaCounts& counts, const ClassTable& table, const Dictionary& dictionary,
            const SchemaWriterOptions& options)
      : counts_(counts),
        table_(table),
        shared_(dictionary.count(DictSection::kShared)),
        predicates_(dictionary.at(DictSection::kPredicates), options.restart_interval,
                    options.is_compressed) {}

  Status append(std::string& out) {
    append_hierarchy();
    const uint32_t levels = std::clamp<uint32_t>(table_.depth_max + 1, 1, kLevelsMax);
    append_rollups(levels);
    WEFT_TRY_STATUS(append_links(levels));
    append_varint(body_, 0);  // descriptors
    append_axioms();
    out.push_back(kTagClasses);
    names_.append_all(out);
    out += body_;
    return ok_status();
  }

 private:
  uint32_t shown_depth(uint32_t level, uint32_t levels) const {
    return levels > 1 ? level * table_.depth_max / (levels - 1) : 0;
  }
  void name(ClassNumber number) { names_.append(body_, table_.names[number]); }

  void append_hierarchy() {
    std::vector<ClassNumber> classes;
    for (ClassNumber number = 0; number < table_.names.size(); ++number) {
      if (table_.is_class[number]) {
        classes.push_back(number);
      }
    }
    std::sort(classes.begin(), classes.end(), [this](ClassNumber a, ClassNumber b) {
      return std::pair(table_.depth[a], a) < std::pair(table_.depth[b], b);
    });
    classes.resize(std::min(classes.size(), kHierarchyMax));
    append_varint(body_, classes.size());
    for (const ClassNumber number : classes) {
      name(number);
      append_varint(body_, table_.parents[number].size());
      for (const ClassNumber parent : table_.parents[number]) {
        name(parent);
      }
      append_varint(body_, table_.depth[number]);
    }
  }

  void append_rollups(uint32_t levels) {
    append_varint(body_, levels);
    for (uint32_t level = 0; level < levels; ++level) {
      const uint32_t depth = shown_depth(level, levels);
      std::map<ClassNumber, uint64_t> rolled;
      for (const auto& [number, count] : table_.instances) {
        rolled[table_.roll_up(number, depth)] += count;
      }
      const auto shown = most_frequent(rolled, kRollupMax);
      append_varint(body_, 0);  // round
      append_varint(body_, depth);
      append_varint(body_, shown.size());
      for (const auto& [number, count] : shown) {
        name(number);
        append_varint(body_, count);
      }
    }
  }

  ClassNumber class_number(uint32_t id) const {
    if (id == kUntyped) {
      return table_.untyped;
    }
    if (id == kLiteralClass) {
      return table_.literal;
    }
    return table_.number_of(id <= shared_ ? SchemaNode{DictSection::kShared, id}
                                          : SchemaNode{DictSection::kObjects, id - shared_});
  }

  Status append_links(uint32_t levels) {
    append_varint(body_, levels);
    for (uint32_t level = 0; level < levels; ++level) {
      const uint32_t depth = shown_depth(level, levels);
      std::map<NamedLink, uint64_t> rolled;
      for (const auto& [link, count] : counts_.links) {
        rolled[{table_.roll_up(class_number(link.subject_class), depth), link.predicate,
                table_.roll_up(class_number(link.object_class), depth)}] += count;
      }
      const auto shown = most_frequent(rolled, kLinksMax);
      append_varint(body_, 0);  // round
      append_varint(body_, depth);
      append_varint(body_, shown.size());
      for (const auto& [link, count] : shown) {
        name(link.subject_class);
        WEFT_TRY(const std::string_view predicate, predicates_.at(link.predicate));
        names_.append(body_, predicate);
        name(link.object_class);
        append_varint(body_, count);
      }
    }
    return ok_status();
  }

  void append_axioms() {
    auto cycles = class_cycles(table_);
    cycles.resize(std::min(cycles.size(), kCyclesMax));
    if (cycles.empty() && table_.disjoint.empty() && table_.equivalent.empty()) {
      return;
    }
    append_varint(body_, cycles.size());
    for (const std::vector<ClassNumber>& cycle : cycles) {
      append_varint(body_, cycle.size());
      for (const ClassNumber member : cycle) {
        name(member);
      }
    }
    for (const auto* pairs : {&table_.disjoint, &table_.equivalent}) {
      append_varint(body_, pairs->size());
      for (const auto& [a, b] : *pairs) {
        name(a);
        name(b);
      }
    }
  }

  const SchemaCounts& counts_;
  const ClassTable& table_;
  uint32_t shared_;
  SectionReader predicates_;
  NameTable names_;
  std::string body_;
};

}  // namespace

Result<std::string> write_schema(const SchemaCounts& counts, const Dictionary& dictionary,
                                 const SchemaWriterOptions& options) {
  const bool has_classes = counts.has_class_part && !counts.instances.empty();
  std::string out;
  out.push_back(kSchemaVersion);
  codec::append_length_prefixed(out, has_classes ? options.type_predicate : std::string());
  append_varint(out, 0);  // round
  append_varint(out, 0);  // summary edges
  append_varint(out, 0);  // tiles
  append_statistics(out, counts);
  append_sets(out, counts);
  if (has_classes) {
    WEFT_TRY(const ClassTable table,
             make_class_table(counts, dictionary, options.restart_interval, options.is_compressed));
    WEFT_TRY_STATUS(ClassPart(counts, table, dictionary, options).append(out));
  }
  return out;
}

}  // namespace weft::rete::build
