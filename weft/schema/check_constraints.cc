// @key, @unique, @index, @range, @check.
#include <algorithm>

#include "weft/schema/checker.h"
#include "weft/schema/pattern.h"

namespace weft::schema {
namespace {

bool is_endpoint(std::string_view name) {
  return name == "src" || name == "dst";
}

std::string range_text(const Range& range) {
  return "@range(" + range.property + ", " + (range.min.has_value() ? range.min->to_string() : "") +
         ".." + (range.max.has_value() ? range.max->to_string() : "") + ")";
}

}  // namespace

void Checker::check_constraint(Draft& draft, const DeclaredConstraint& constraint) {
  const std::string& kind = constraint.kind.text;
  if (kind == "range") {
    add_range(draft, constraint);
    return;
  }
  if (kind == "check") {
    add_check(draft, constraint);
    return;
  }
  std::vector<std::string> members;
  if (!member_names(draft, constraint, members)) {
    return;
  }
  if (kind == "key") {
    add_key(draft, std::move(members), constraint.kind.place, false);
  } else if (kind == "unique") {
    add_unique(draft, std::move(members), constraint.kind.place);
  } else {
    for (const std::string& name : members) {
      add_index(draft, name, constraint.kind.place);
    }
  }
}

void Checker::add_property_constraint(Draft& draft, const Member& member,
                                      const DeclaredAnnotation& annotation, bool from_interface) {
  const std::string& name = member.declared->name.text;
  const std::string& kind = annotation.annotation.name;
  const Place place = from_interface ? member.place : annotation.place;
  if (kind == "key") {
    add_key(draft, {name}, place, from_interface);
  } else if (kind == "unique") {
    add_unique(draft, {name}, place);
  } else if (kind == "index") {
    add_index(draft, name, place);
  }
}

bool Checker::member_names(const Draft& draft, const DeclaredConstraint& constraint,
                           std::vector<std::string>& out) {
  const std::string owner = "@" + constraint.kind.text + " of " + draft.described();
  bool good = true;
  for (const ConstraintArgument& argument : constraint.arguments) {
    const Name* const name = std::get_if<Name>(&argument.value);
    if (name == nullptr) {
      report(argument.place, owner + " takes names of properties");
      good = false;
      continue;
    }
    const bool endpoint =
        draft.edge != nullptr && constraint.kind.text == "unique" && is_endpoint(name->text);
    if (draft.find(name->text) == nullptr && !endpoint) {
      report(name->place, owner + ": there is no property " + name->text);
      good = false;
    } else if (constraint.kind.text != "index" &&
               std::find(out.begin(), out.end(), name->text) != out.end()) {
      report(name->place, owner + " names " + name->text + " twice");
      good = false;
    } else {
      out.push_back(name->text);
    }
  }
  return good;
}

void Checker::add_key(Draft& draft, std::vector<std::string> members, Place place,
                      bool from_interface) {
  if (draft.node == nullptr) {
    report(place, "@key on " + draft.described() + "." + members[0] + ": only nodes have keys");
    return;
  }
  if (draft.has_key) {
    const bool repeated = from_interface || draft.key_from_interface;
    if (!repeated || members != draft.node->key) {
      report(place, draft.described() + " has two keys");
    }
    return;
  }
  draft.has_key = true;
  draft.key_from_interface = from_interface;
  for (const std::string& name : members) {
    const DeclaredProperty& property = *draft.find(name)->declared;
    const PropertyType& type = property.type;
    if (property.broken) {
      continue;
    }
    if (type.nullable || !type.is_plain() || type.scalar == Scalar::kBlob) {
      report(place, "key member " + draft.declaration->name.text + "." + name + " is " +
                        type.to_string() + "; it must be a scalar that is never null and no Blob");
    }
  }
  draft.node->key = std::move(members);
}

void Checker::add_unique(Draft& draft, std::vector<std::string> members, Place place) {
  for (const std::string& name : members) {
    const Member* const member = draft.find(name);
    if (member != nullptr && !member->declared->broken &&
        member->declared->type.scalar == Scalar::kBlob) {
      report(place, "@unique on " + draft.declaration->name.text + "." + name +
                        ": a Blob cannot be unique");
    }
  }
  auto& uniques = draft.type->uniques;
  if (std::find(uniques.begin(), uniques.end(), members) == uniques.end()) {
    uniques.push_back(std::move(members));
  }
}

void Checker::add_index(Draft& draft, const std::string& name, Place place) {
  const DeclaredProperty& property = *draft.find(name)->declared;
  if (!property.broken && (property.type.is_list || property.type.scalar == Scalar::kBlob)) {
    report(place, "@index on " + draft.declaration->name.text + "." + name + ": a " +
                      property.type.to_string() + " cannot be indexed");
    return;
  }
  auto& indices = draft.type->indices;
  if (std::find(indices.begin(), indices.end(), name) == indices.end()) {
    indices.push_back(name);
  }
}

const Checker::Member* Checker::constrained(const Draft& draft,
                                            const DeclaredConstraint& constraint) {
  const std::string owner = "@" + constraint.kind.text + " of " + draft.described();
  if (draft.node == nullptr) {
    report(constraint.kind.place, owner + ": only nodes have it");
    return nullptr;
  }
  const Name* const name = std::get_if<Name>(&constraint.arguments[0].value);
  if (name == nullptr || constraint.arguments.size() != 2) {
    report(constraint.kind.place,
           owner + " takes a property and " +
               (constraint.kind.text == "range" ? "a range: MIN..MAX, MIN.. or ..MAX"
                                                : "a pattern in quotes"));
    return nullptr;
  }
  const Member* const member = draft.find(name->text);
  if (member == nullptr) {
    report(name->place, owner + ": there is no property " + name->text);
  }
  return member;
}

void Checker::add_range(Draft& draft, const DeclaredConstraint& constraint) {
  const Member* const member = constrained(draft, constraint);
  if (member == nullptr) {
    return;
  }
  const std::string owner = draft.declaration->name.text + "." + member->declared->name.text;
  const BareRange* const bounds = std::get_if<BareRange>(&constraint.arguments[1].value);
  if (bounds == nullptr) {
    report(constraint.arguments[1].place,
           "@range on " + owner + " needs a range: MIN..MAX, MIN.. or ..MAX");
    return;
  }
  const PropertyType& type = member->declared->type;
  if (!member->declared->broken && (!type.is_plain() || !is_numeric(type.scalar))) {
    report(constraint.kind.place,
           "@range on " + owner + ": it is a " + type.to_string() + ", not a number");
    return;
  }
  Range range = {member->declared->name.text, bounds->min, bounds->max};
  if (range.min.has_value() && range.max.has_value() && range.min->compare(*range.max) > 0) {
    report(constraint.arguments[1].place,
           range_text(range) + " of " + owner + " has its bounds the wrong way round");
    return;
  }
  draft.node->ranges.push_back(std::move(range));
}

void Checker::check_ranges_meet(const Draft& draft) {
  for (const Range& lower : draft.node->ranges) {
    for (const Range& upper : draft.node->ranges) {
      if (lower.property == upper.property && lower.min.has_value() && upper.max.has_value() &&
          lower.min->compare(*upper.max) > 0) {
        report(draft.declaration->name.place, draft.described() + ": no value is in both " +
                                                  range_text(lower) + " and " + range_text(upper));
        return;
      }
    }
  }
}

void Checker::add_check(Draft& draft, const DeclaredConstraint& constraint) {
  const Member* const member = constrained(draft, constraint);
  if (member == nullptr) {
    return;
  }
  const std::string owner = draft.declaration->name.text + "." + member->declared->name.text;
  const auto* const value = std::get_if<AnnotationValue>(&constraint.arguments[1].value);
  const std::string* const text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  if (text == nullptr) {
    report(constraint.arguments[1].place, "@check on " + owner + " needs a pattern in quotes");
    return;
  }
  const PropertyType& type = member->declared->type;
  if (!member->declared->broken && (!type.is_plain() || type.scalar != Scalar::kString)) {
    report(constraint.kind.place,
           "@check on " + owner + ": a pattern is for String, not for " + type.to_string());
    return;
  }
  if (const auto pattern = Pattern::compile(*text); !pattern.ok()) {
    const std::string_view reason = pattern.error().fact("reason");
    report(constraint.arguments[1].place,
           "@check on " + owner + ": \"" + text->substr(0, 200) + "\" is no pattern: " +
               (reason.empty() ? pattern.error().message() : std::string(reason)));
    return;
  }
  draft.node->checks.push_back({member->declared->name.text, *text});
}

}  // namespace weft::schema
