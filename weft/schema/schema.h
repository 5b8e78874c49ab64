// A property graph's schema, checked: what the text of a `.pg` file means. Names are those of this
// version of the schema; what is the same thing across versions is said by ids (accepted.h).
//
// S1  Every name in it resolves: edges end at nodes, constraints name properties of their type.
// S2  Interfaces are expanded: a node has all properties and constraints of what it implements.
// S3  compile(canonical_text(schema)) has the same canonical text, and so the same shape hash.
//
// Values, immutable once made; thread-safe. Language: docs/formats/pg-schema.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/result.h"
#include "weft/schema/number.h"
#include "weft/schema/problem.h"
#include "weft/schema/property_type.h"

namespace weft::schema {

inline constexpr size_t kTypesMax = 10'000;           // interfaces, nodes and edges together
inline constexpr size_t kPropertiesMax = 2'000;       // of one type
inline constexpr size_t kConstraintsMax = 2'000;      // of one type
inline constexpr size_t kMembersMax = 64;             // of one constraint
inline constexpr size_t kAllPropertiesMax = 200'000;  // of all types, those of interfaces too
inline constexpr size_t kEnumValuesMax = 10'000;      // of one enum
inline constexpr size_t kNameBytesMax = 255;          // of a type or property
inline constexpr uint32_t kVectorWidthMax = 2147483647;

// The value of an argument of an annotation: a string, a number, a truth value, or a bare name.
struct BareName {
  std::string text;
  friend bool operator==(const BareName&, const BareName&) = default;
};
using AnnotationValue = std::variant<std::string, Number, bool, BareName>;

struct Annotation {
  std::string name;
  std::optional<AnnotationValue> value;
  std::vector<std::pair<std::string, AnnotationValue>> named;  // NAME=VALUE, as written
  friend bool operator==(const Annotation&, const Annotation&) = default;
};

struct Property {
  std::string name;
  PropertyType type;
  // Without those that are constraints: key, unique, index.
  std::vector<Annotation> annotations;
  // Names of the interfaces that ask for it, as the node lists them.
  std::vector<std::string> interfaces;
};

// @range: both ends included.
struct Range {
  std::string property;
  std::optional<Number> min;
  std::optional<Number> max;
};

// @check: `pattern` matches somewhere in the value.
struct Check {
  std::string property;
  std::string pattern;
};

// @card: edges of one source node. No max: any number.
struct Cardinality {
  uint32_t min = 0;
  std::optional<uint32_t> max;
};

// What node and edge types have in common.
struct EntityType {
  std::string name;
  std::vector<Annotation> annotations;
  // As declared, then those of interfaces.
  std::vector<Property> properties;
  // Members in the order of their declaration; on edges also "src" and "dst".
  std::vector<std::vector<std::string>> uniques;
  std::vector<std::string> indices;  // one property each

  const Property* find(std::string_view property) const;
};

struct NodeType : EntityType {
  std::vector<std::string> interfaces;
  std::vector<std::string> key;  // members in order; empty: a node without key
  std::vector<Range> ranges;
  std::vector<Check> checks;

  bool is_key_member(std::string_view property) const;
};

struct EdgeType : EntityType {
  std::string from;
  std::string to;
  Cardinality cardinality;
};

struct InterfaceType {
  // Of each property the names of its constraints (key, unique, index) stand in `constraints`.
  struct Member {
    Property property;
    std::vector<std::string> constraints;
  };
  std::string name;
  std::vector<Member> members;
};

class Schema {
 public:
  Schema() = default;
  // Sorts by name. For the checker and for tests: callers keep S1 and S2.
  Schema(std::vector<InterfaceType> interfaces, std::vector<NodeType> nodes,
         std::vector<EdgeType> edges);

  const std::vector<InterfaceType>& interfaces() const { return interfaces_; }
  const std::vector<NodeType>& nodes() const { return nodes_; }
  const std::vector<EdgeType>& edges() const { return edges_; }
  const InterfaceType* find_interface(std::string_view name) const;
  const NodeType* find_node(std::string_view name) const;
  const EdgeType* find_edge(std::string_view name) const;
  // The edge type whose name is this one but for the case of letters.
  const EdgeType* find_edge_ignoring_case(std::string_view name) const;

 private:
  std::vector<InterfaceType> interfaces_;
  std::vector<NodeType> nodes_;
  std::vector<EdgeType> edges_;
  std::vector<std::pair<std::string, size_t>> edges_by_lower_name_;
};

// Names that no property may have: engine columns of every table, and of edge tables.
bool is_reserved_property(std::string_view name);       // _rowid, …, id
bool is_reserved_edge_property(std::string_view name);  // also src, dst, from, to

struct Checked {
  // Present if there are no problems.
  std::optional<Schema> schema;
  std::vector<Problem> problems;  // by place
};

// Parses and checks a text; reports what it can in one run.
Checked check(std::string_view text);
// The same, or kInvalid "schema has N errors" with a fact "error" for each; kLimit for a text
// beyond kTextBytesMax.
Result<Schema> compile(std::string_view text);

// The schema as text without comments, in one order and one spelling.
std::string canonical_text(const Schema& schema);
// BLAKE3 of the canonical text, in hexadecimal digits: equal for texts that mean the same.
std::string shape_hash(const Schema& schema);

}  // namespace weft::schema
