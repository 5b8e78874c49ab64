// Counts what the statistics and schema section tells, from rows as the orders come by. Bounded:
// beyond its limits parts of the section are left out, whatever the memory of the build, so that
// the bytes depend on the quads alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/numbering.h"
#include "weft/rete/build/row_sorter.h"
#include "weft/rete/build/spool.h"

namespace weft::rete::build {

// More predicates than this: no section at all.
inline constexpr uint32_t kSchemaPredicatesMax = uint32_t{1} << 20U;
// More classes, or more axioms about classes, than this: no class part.
inline constexpr size_t kSchemaClassesMax = size_t{1} << 18U;
// Beyond this many distinct predicate sets, those seen once so far are forgotten.
inline constexpr size_t kSchemaSetsMax = size_t{1} << 17U;
// The same for combinations of class, predicate and class.
inline constexpr size_t kSchemaLinksMax = size_t{1} << 18U;

// Predicates that the schema knows, by id; 0: not used.
struct SchemaPredicates {
  uint32_t type = 0;
  uint32_t subclass_of = 0;
  uint32_t disjoint_with = 0;
  uint32_t equivalent_class = 0;
};

// A node by section and rank, so that equal nodes are equal numbers.
struct SchemaNode {
  DictSection section = DictSection::kShared;
  uint32_t rank = 0;
  friend auto operator<=>(const SchemaNode&, const SchemaNode&) = default;
};

struct PredicateCounts {
  uint64_t triples = 0;
  uint64_t subjects = 0;
  uint64_t objects = 0;
  uint64_t objects_per_subject_max = 0;
  uint64_t subjects_per_object_max = 0;
};

// Class of the subject, predicate, class of the object. Classes are object ids.
struct SchemaLink {
  uint32_t subject_class = 0;
  uint32_t predicate = 0;
  uint32_t object_class = 0;
  friend auto operator<=>(const SchemaLink&, const SchemaLink&) = default;
};
inline constexpr uint32_t kUntyped = 0;
inline constexpr uint32_t kLiteralClass = UINT32_MAX;

struct SchemaCounts {
  std::vector<PredicateCounts> predicates;  // by id - 1
  std::vector<std::pair<std::vector<uint32_t>, uint64_t>> sets;
  std::vector<std::pair<uint32_t, uint64_t>> instances;  // class (object id), type triples
  std::vector<std::pair<SchemaNode, SchemaNode>> subclass_of;
  std::vector<std::pair<SchemaNode, SchemaNode>> disjoint;
  std::vector<std::pair<SchemaNode, SchemaNode>> equivalent;
  std::vector<std::pair<SchemaLink, uint64_t>> links;
  bool has_class_part = true;
};

// Not thread-safe. Rows must come in the order that the name says, SPO first, then OSP and POS.
class SchemaCounter {
 public:
  SchemaCounter(const Dictionary& dictionary, const SchemaPredicates& predicates,
                const BuildSpace& space);

  Status accept_spo(std::span<const Row<3>> rows);
  Status accept_osp(std::span<const Row<3>> rows);
  Status accept_pos(std::span<const Row<3>> rows);
  Result<SchemaCounts> finish();

 private:
  struct SetHash {
    size_t operator()(const std::vector<uint32_t>& set) const;
  };
  struct LinkHash {
    size_t operator()(const SchemaLink& link) const;
  };

  SchemaNode subject_node(uint32_t id) const;
  SchemaNode object_node(uint32_t id) const;
  void add_axiom(const Row<3>& row);
  void close_run();
  void close_pos_run();
  Status close_subject();
  Status note_class(uint32_t subject, uint32_t type_object);
  void add_link(uint32_t subject_class, uint32_t predicate, uint32_t object_class);
  // The class of an object; `class_of_shared` is asked for shared ones.
  template <typename ClassOf>
  Result<uint32_t> object_class(uint32_t object, const ClassOf& class_of_shared) const;
  Status count_spilled_links();

  const Dictionary* dictionary_;
  SchemaPredicates predicates_;
  uint32_t shared_;
  uint32_t subject_max_;
  SchemaCounts counts_;

  // The subject whose rows are coming by.
  uint32_t subject_ = 0;
  uint32_t predicate_ = 0;
  uint64_t run_ = 0;
  uint32_t class_ = kUntyped;
  bool sets_full_ = false;
  bool links_full_ = false;
  std::vector<uint32_t> set_;
  std::unordered_map<std::vector<uint32_t>, uint64_t, SetHash> sets_;

  // Classes by subject id: in memory, or, if that is too much, in a spool beside rows (subject,
  // predicate, object, class of subject) to be sorted by object.
  bool classes_in_memory_;
  PageArray<uint32_t> classes_;
  Spool class_spool_;
  uint32_t classes_written_ = 0;
  std::vector<Row<3>> open_rows_;
  std::unique_ptr<RowSorter<4>> link_rows_;
  std::unordered_map<SchemaLink, uint64_t, LinkHash> links_;

  // The (predicate, object) whose rows are coming by.
  uint32_t pos_predicate_ = 0;
  uint32_t pos_object_ = 0;
  uint64_t pos_run_ = 0;
};

}  // namespace weft::rete::build
