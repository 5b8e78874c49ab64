// Annotations that mean something: description, instruction, rename_from, embed. All others are
// kept as they are, @default too: there are no default values.
#include <algorithm>

#include "weft/schema/checker.h"

namespace weft::schema {
namespace {

const std::string* text_of(const Annotation& annotation) {
  return annotation.value.has_value() ? std::get_if<std::string>(&*annotation.value) : nullptr;
}

bool is_property_constraint(std::string_view name) {
  return name == "key" || name == "unique" || name == "index";
}

}  // namespace

bool Checker::check_text(const DeclaredAnnotation& annotation, std::string_view owner) {
  const std::string& name = annotation.annotation.name;
  if (name != "description" && name != "instruction" && name != "rename_from") {
    return true;
  }
  const std::string* const text = text_of(annotation.annotation);
  if (text == nullptr || text->find_first_not_of(" \t\r\n") == std::string::npos) {
    report(annotation.place,
           "@" + name + " of " + std::string(owner) + " needs a text that is not empty");
    return false;
  }
  return true;
}

void Checker::check_type_annotations(const Declaration& declaration, std::vector<Annotation>& out) {
  for (const DeclaredAnnotation& annotation : declaration.annotations) {
    const std::string& name = annotation.annotation.name;
    if (is_property_constraint(name) || name == "range" || name == "check") {
      report(annotation.place, "@" + name + " of " + declaration.name.text +
                                   " belongs to a property or, with brackets, into the body");
    } else if (check_text(annotation, declaration.name.text)) {
      out.push_back(annotation.annotation);
    }
  }
}

void Checker::check_property_annotations(Draft& draft, const Member& member, Property& out) {
  const std::string owner = draft.declaration->name.text + "." + out.name;
  for (const DeclaredAnnotation& annotation : member.declared->annotations) {
    const std::string& name = annotation.annotation.name;
    const Place place = member.own ? annotation.place : member.place;
    if (is_property_constraint(name)) {
      if (member.own) {
        add_property_constraint(draft, member, annotation, false);
      }
      continue;
    }
    if (name == "range" || name == "check" || name == "card") {
      report(place, "@" + name + " of " + owner + " needs arguments, in the body of the type");
      continue;
    }
    if (name == "instruction") {
      if (!member.own) {
        continue;  // reported at the interface
      }
      report(place, "@instruction belongs to node and edge types, not to property " + owner);
      continue;
    }
    if (name == "embed") {
      check_embed(draft, member, annotation);
    }
    if (!member.own || check_text(annotation, owner)) {
      out.annotations.push_back(annotation.annotation);
    }
  }
}

void Checker::check_embed(const Draft& draft, const Member& member,
                          const DeclaredAnnotation& annotation) {
  const Place place = member.own ? annotation.place : member.place;
  const std::string owner =
      "@embed of " + draft.declaration->name.text + "." + member.declared->name.text;
  if (!member.declared->broken && !member.declared->type.is_vector()) {
    report(place, owner + " stands on a " + member.declared->type.to_string() +
                      "; it belongs to a Vector");
    return;
  }
  const auto& value = annotation.annotation.value;
  const std::string* source = text_of(annotation.annotation);
  if (source == nullptr && value.has_value() && std::holds_alternative<BareName>(*value)) {
    source = &std::get<BareName>(*value).text;
  }
  if (source == nullptr) {
    report(place, owner + " needs the name of its source property");
    return;
  }
  const Member* const found = draft.find(*source);
  if (found == nullptr) {
    report(place, owner + ": there is no source property " + *source);
  } else if (!found->declared->broken && (!found->declared->type.is_plain() ||
                                          found->declared->type.scalar != Scalar::kString)) {
    report(place, owner + ": source " + *source + " must be a String");
  }
  for (const auto& [name, argument] : annotation.annotation.named) {
    if (name != "model" || !std::holds_alternative<std::string>(argument)) {
      report(place, owner + ": unknown argument " + name + "=; there is model=\"…\" only");
    }
  }
}

}  // namespace weft::schema
