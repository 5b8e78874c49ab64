// The statistics and schema section of a `.rete` file, decoded. All over the default graph without
// duplicates. No answer depends on it: it serves planning and display.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/result.h"

namespace weft::rete {

struct PredicateStatistics {
  uint32_t predicate = 0;
  uint64_t triples = 0;
  uint64_t distinct_subjects = 0;
  uint64_t distinct_objects = 0;
  uint64_t objects_per_subject_max = 0;
  uint64_t subjects_per_object_max = 0;
  friend bool operator==(const PredicateStatistics&, const PredicateStatistics&) = default;
};

// The subjects whose predicates are exactly these.
struct CharacteristicSet {
  std::vector<uint32_t> predicates;  // ascending
  uint64_t subjects = 0;
};

struct SchemaClass {
  std::string name;  // token
  std::vector<std::string> parents;
  uint64_t depth = 0;
};

struct SchemaLevel {
  struct Count {
    std::string name;
    uint64_t count = 0;
  };
  struct Link {
    std::string subject_class;
    std::string predicate;
    std::string object_class;
    uint64_t count = 0;
  };
  uint64_t round = 0;
  uint64_t depth = 0;
  std::vector<Count> classes;
  std::vector<Link> links;
};

struct Schema {
  std::string type_predicate;                   // token; empty if no subject is typed
  std::vector<PredicateStatistics> predicates;  // ascending by predicate
  std::vector<CharacteristicSet> sets;          // the most frequent ones
  std::vector<SchemaClass> classes;
  std::vector<SchemaLevel> levels;
  std::vector<std::vector<std::string>> cycles;
  std::vector<std::pair<std::string, std::string>> disjoint;
  std::vector<std::pair<std::string, std::string>> equivalent;

  // nullptr if the predicate is not listed.
  const PredicateStatistics* find(uint32_t predicate) const;
};

// The raw bytes of the section (generation 6: decompressed; 5: behind its digest). Errors:
// kCorrupt.
Result<Schema> parse_schema(std::string_view bytes, uint32_t predicate_count);

}  // namespace weft::rete
