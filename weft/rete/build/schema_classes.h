// The classes of a schema: names, parents, depths, cycles. Classes are numbered by their names, so
// that comparing numbers compares names.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "weft/rete/build/schema_counter.h"

namespace weft::rete::build {

using ClassNumber = uint32_t;

// Names that are no terms: for nodes without a class and for literals.
inline constexpr std::string_view kUntypedName = "(untyped)";
inline constexpr std::string_view kLiteralName = "(literal)";

struct ClassTable {
  std::vector<std::string> names;  // ascending
  // By number; false for names that only occur in other axioms, and for the two above.
  std::vector<bool> is_class;
  std::vector<std::vector<ClassNumber>> parents;  // ascending, itself not among them
  std::vector<ClassNumber> loops;                 // classes that are their own parents
  std::vector<uint32_t> depth;
  uint32_t depth_max = 0;
  ClassNumber untyped = 0;
  ClassNumber literal = 0;
  std::vector<std::pair<ClassNumber, uint64_t>> instances;
  std::vector<std::pair<ClassNumber, ClassNumber>> disjoint;    // smaller first, ascending
  std::vector<std::pair<ClassNumber, ClassNumber>> equivalent;  // the same

  // Numbers of nodes that were asked for when the table was made.
  std::vector<std::pair<SchemaNode, ClassNumber>> by_node;  // ascending by node
  ClassNumber number_of(const SchemaNode& node) const;
  // The ancestor along first parents that is no deeper than `depth_wanted`.
  ClassNumber roll_up(ClassNumber of, uint32_t depth_wanted) const;
};

Result<ClassTable> make_class_table(const SchemaCounts& counts, const Dictionary& dictionary,
                                    uint32_t restart_interval, bool is_compressed);

// Strongly connected components of more than one class along all parents, and single classes that
// are their own parents; members ascending, components ascending.
std::vector<std::vector<ClassNumber>> class_cycles(const ClassTable& table);

}  // namespace weft::rete::build
