// Recursive descent over the tokens of a schema text. After a mistake it goes on at the next
// property, or at the next declaration, so that one run reports several.
#pragma once

#include <string_view>
#include <vector>

#include "weft/schema/declaration.h"
#include "weft/schema/scanner.h"

namespace weft::schema {

// Methods that read something return false after they reported a mistake. One run per parser.
class Parser {
 public:
  // Both must outlive the parser.
  Parser(std::string_view text, Problems& problems) : scanner_(text), problems_(problems) {}
  std::vector<Declaration> run();

 private:
  // What is being read, for messages: it begins at `place`.
  struct Construct {
    const char* name;
    Place place;
  };

  // Says what was expected in place of the next token. Returns false.
  bool fail(std::string_view expected);
  bool mark(std::string_view mark);
  bool accept(std::string_view mark);
  bool upper_name(Name& name, std::string_view what);
  bool take_name(Name& name);

  // At a declaration word that a type's name follows; at the end otherwise.
  void skip_to_declaration();
  bool begins_declaration();
  // To the '}' of this body, or to a property; false at a new declaration or at the end.
  bool skip_to_body_item();
  bool begins_property();

  bool declaration(Declaration& out);
  bool implements(Declaration& out);
  bool cardinality(Declaration& out);
  bool count(uint32_t& out);
  // After the '{', up to and with the '}'.
  bool body(Declaration& out);
  bool body_item(Declaration& out);
  bool property(Declaration& out);

  bool type(PropertyType& out);
  bool scalar(PropertyType& out);
  bool vector_width(PropertyType& out);
  bool enum_values(PropertyType& out);

  // Annotations up to the first constraint: a name of one with an opening bracket.
  bool annotations(std::vector<DeclaredAnnotation>& out);
  bool annotation_arguments(Annotation& out);
  bool annotation_value(AnnotationValue& out);
  bool constraint(Declaration& out);
  bool constraint_argument(ConstraintArgument& out);
  bool range(ConstraintArgument& out);
  bool signed_number(Number& out);

  Scanner scanner_;
  Problems& problems_;
  Construct construct_ = {nullptr, {}};
};

}  // namespace weft::schema
