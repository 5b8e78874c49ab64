// A schema text as it is written, before anything is resolved: what the parser gives the checker.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/schema/problem.h"
#include "weft/schema/schema.h"

namespace weft::schema {

struct Name {
  std::string text;
  Place place;
};

struct DeclaredAnnotation {
  Annotation annotation;
  Place place;  // of the name
};

struct DeclaredProperty {
  Name name;
  PropertyType type;
  Place type_place;
  // The type could not be read; what concerns it is not reported again.
  bool broken = false;
  std::vector<DeclaredAnnotation> annotations;
};

struct BareRange {
  std::optional<Number> min;
  std::optional<Number> max;
};

struct ConstraintArgument {
  Place place;
  std::variant<Name, BareRange, AnnotationValue> value;
};

struct DeclaredConstraint {
  Name kind;  // key, unique, index, range, check
  std::vector<ConstraintArgument> arguments;
};

enum class DeclarationKind : uint8_t { kInterface, kNode, kEdge };
std::string_view declaration_kind_name(DeclarationKind kind);

struct Declaration {
  DeclarationKind kind = DeclarationKind::kNode;
  Name name;
  std::vector<DeclaredAnnotation> annotations;
  std::vector<Name> interfaces;  // of a node
  Name from, to;                 // of an edge; an empty name could not be read
  Cardinality cardinality;
  Place cardinality_place;
  std::vector<DeclaredProperty> properties;
  std::vector<DeclaredConstraint> constraints;
};

// Stops reporting when `problems` is full. Never fails: what could not be read is left out.
std::vector<Declaration> parse_declarations(std::string_view text, Problems& problems);
Schema check_declarations(const std::vector<Declaration>& declarations, Problems& problems);

}  // namespace weft::schema
