#include "weft/schema/checker.h"

#include <algorithm>
#include <set>

#include "weft/schema/scanner.h"

namespace weft::schema {

const Checker::Member* Checker::Draft::find(std::string_view name) const {
  const auto found = positions.find(name);
  return found == positions.end() ? nullptr : &members[found->second];
}

void Checker::Draft::add(Member member) {
  positions.emplace(member.declared->name.text, members.size());
  members.push_back(std::move(member));
}

std::string Checker::Draft::described() const {
  return std::string(declaration_kind_name(declaration->kind)) + " " + declaration->name.text;
}

Schema Checker::run() {
  index_names();
  if (declarations_.size() > kTypesMax) {
    report(declarations_[kTypesMax].name.place,
           "a schema has at most " + std::to_string(kTypesMax) + " types");
    return {};
  }
  std::vector<InterfaceType> interfaces;
  std::vector<NodeType> nodes;
  std::vector<EdgeType> edges;
  for (const Declaration& declaration : declarations_) {
    if (declaration.name.text.empty()) {
      continue;  // its name could not be read
    }
    switch (declaration.kind) {
      case DeclarationKind::kInterface:
        interfaces.push_back(interface_type(declaration));
        break;
      case DeclarationKind::kNode:
        nodes.push_back(node_type(declaration));
        break;
      case DeclarationKind::kEdge:
        edges.push_back(edge_type(declaration));
        break;
    }
  }
  return Schema(std::move(interfaces), std::move(nodes), std::move(edges));
}

void Checker::index_names() {
  std::map<std::string, const Declaration*, std::less<>> edges;
  for (const Declaration& declaration : declarations_) {
    const Name& name = declaration.name;
    if (name.text.empty()) {
      continue;
    }
    auto& names = declaration.kind == DeclarationKind::kInterface ? interfaces_
                  : declaration.kind == DeclarationKind::kNode    ? nodes_
                                                                  : edges;
    const bool is_edge = declaration.kind == DeclarationKind::kEdge;
    const auto [first, added] =
        names.emplace(is_edge ? lowered(name.text) : name.text, &declaration);
    if (added) {
      continue;
    }
    const Name& other = first->second->name;
    if (other.text == name.text) {
      report(name.place, std::string(declaration_kind_name(declaration.kind)) + " " + name.text +
                             " is declared twice, first at " + to_string(other.place));
    } else {
      report(name.place,
             "edges " + other.text + " and " + name.text + " differ in the case of letters only");
    }
  }
}

InterfaceType Checker::interface_type(const Declaration& declaration) {
  InterfaceType type;
  type.name = declaration.name.text;
  EntityType unused;
  Draft draft = {&declaration, {}, &unused, nullptr, nullptr, {}};
  own_members(draft);
  for (const Member& member : draft.members) {
    InterfaceType::Member out;
    out.property.name = member.declared->name.text;
    out.property.type = member.declared->type;
    for (const DeclaredAnnotation& annotation : member.declared->annotations) {
      const std::string& name = annotation.annotation.name;
      if (name == "key" || name == "unique" || name == "index") {
        out.constraints.push_back(name);
      } else if (name == "instruction") {
        report(annotation.place, "@instruction belongs to node and edge types, not to property " +
                                     type.name + "." + out.property.name);
      } else if (check_text(annotation, declaration.name.text + "." + out.property.name)) {
        out.property.annotations.push_back(annotation.annotation);
      }
    }
    std::sort(out.constraints.begin(), out.constraints.end());
    out.constraints.erase(std::unique(out.constraints.begin(), out.constraints.end()),
                          out.constraints.end());
    type.members.push_back(std::move(out));
  }
  return type;
}

NodeType Checker::node_type(const Declaration& declaration) {
  NodeType type;
  type.name = declaration.name.text;
  check_type_annotations(declaration, type.annotations);
  Draft draft = {&declaration, {}, &type, &type, nullptr, {}};
  own_members(draft);
  interface_members(draft);
  for (const Name& name : declaration.interfaces) {
    type.interfaces.push_back(name.text);
  }
  finish_properties(draft);
  check_ranges_meet(draft);
  return type;
}

EdgeType Checker::edge_type(const Declaration& declaration) {
  EdgeType type;
  type.name = declaration.name.text;
  type.from = declaration.from.text;
  type.to = declaration.to.text;
  type.cardinality = declaration.cardinality;
  check_type_annotations(declaration, type.annotations);
  check_endpoint(declaration.from, declaration, "begins");
  check_endpoint(declaration.to, declaration, "ends");
  if (type.cardinality.max.has_value() && type.cardinality.min > *type.cardinality.max) {
    report(declaration.cardinality_place,
           "edge " + type.name + ": @card(" + std::to_string(type.cardinality.min) + ".." +
               std::to_string(*type.cardinality.max) + ") has its bounds the wrong way round");
  }
  Draft draft = {&declaration, {}, &type, nullptr, &type, {}};
  own_members(draft);
  finish_properties(draft);
  return type;
}

void Checker::check_endpoint(const Name& name, const Declaration& edge, std::string_view end) {
  if (name.text.empty() || nodes_.contains(name.text)) {
    return;
  }
  report(name.place, "edge " + edge.name.text + " " + std::string(end) + " at " + name.text +
                         (interfaces_.contains(name.text) ? ", an interface; edges join nodes"
                                                          : ", which is no declared node"));
}

void Checker::own_members(Draft& draft) {
  const bool is_edge = draft.declaration->kind == DeclarationKind::kEdge;
  for (const DeclaredProperty& property : draft.declaration->properties) {
    const std::string& name = property.name.text;
    if (is_edge ? is_reserved_edge_property(name) : is_reserved_property(name)) {
      report(property.name.place,
             draft.described() + ": property name " + name + " is reserved for the engine");
    } else if (draft.find(name) != nullptr) {
      report(property.name.place, draft.described() + ": property " + name + " is declared twice");
      continue;
    }
    if (property.type.is_list && property.type.scalar == Scalar::kBlob) {
      report(property.type_place, draft.described() + "." + name + ": there are no lists of Blob");
    }
    if (draft.members.size() >= kPropertiesMax) {
      report(property.name.place, draft.described() + " has more than " +
                                      std::to_string(kPropertiesMax) + " properties");
      return;
    }
    draft.add({&property, property.name.place, true, {}, {}});
  }
}

void Checker::interface_members(Draft& draft) {
  std::set<std::string_view> seen;
  for (const Name& name : draft.declaration->interfaces) {
    if (!seen.insert(name.text).second) {
      report(name.place, draft.described() + " implements " + name.text + " twice");
      continue;
    }
    const auto found = interfaces_.find(name.text);
    if (found == interfaces_.end()) {
      report(name.place,
             draft.described() + " implements " + name.text + ", which is no declared interface");
      continue;
    }
    property_count_ += found->second->properties.size();
    if (draft.members.size() + found->second->properties.size() > kPropertiesMax ||
        property_count_ > kAllPropertiesMax) {
      report(name.place, draft.described() + " has too many properties with those of " + name.text);
      return;
    }
    for (const DeclaredProperty& property : found->second->properties) {
      add_interface_member(draft, *found->second, property, name.place);
    }
  }
}

void Checker::add_interface_member(Draft& draft, const Declaration& from,
                                   const DeclaredProperty& property, Place place) {
  const auto position = draft.positions.find(property.name.text);
  if (position == draft.positions.end()) {
    draft.add({&property, place, false, {from.name.text}, {&property}});
    return;
  }
  Member* const found = &draft.members[position->second];
  if (found->declared == &property) {
    return;  // the interface declares it twice, which is reported there
  }
  found->interfaces.push_back(from.name.text);
  found->asked.push_back(&property);
  if (!found->declared->broken && !property.broken && found->declared->type != property.type) {
    report(found->own ? found->declared->type_place : place,
           draft.described() + ": property " + property.name.text + " is " +
               found->declared->type.to_string() + ", but interface " + from.name.text +
               " asks for " + property.type.to_string());
  }
}

void Checker::finish_properties(Draft& draft) {
  for (const Member& member : draft.members) {
    Property property;
    property.name = member.declared->name.text;
    property.type = member.declared->type;
    property.interfaces = member.interfaces;
    check_property_annotations(draft, member, property);
    draft.type->properties.push_back(std::move(property));
  }
  for (const Member& member : draft.members) {
    for (const DeclaredProperty* asked : member.asked) {
      for (const DeclaredAnnotation& annotation : asked->annotations) {
        add_property_constraint(draft, member, annotation, true);
      }
    }
  }
  if (draft.declaration->constraints.size() > kConstraintsMax) {
    report(draft.declaration->name.place, draft.described() + " has more than " +
                                              std::to_string(kConstraintsMax) + " constraints");
    return;
  }
  for (const DeclaredConstraint& constraint : draft.declaration->constraints) {
    check_constraint(draft, constraint);
  }
}

Schema check_declarations(const std::vector<Declaration>& declarations, Problems& problems) {
  return Checker(declarations, problems).run();
}

Checked check(std::string_view text) {
  Problems problems;
  Place place;
  if (text.size() > kTextBytesMax) {
    problems.add({}, "limit", "a schema has at most " + std::to_string(kTextBytesMax) + " bytes");
    return {std::nullopt, problems.list()};
  }
  if (find_bad_utf8(text, place)) {
    problems.add(place, "parse", "bytes that are no UTF-8");
    return {std::nullopt, problems.list()};
  }
  Schema schema = check_declarations(parse_declarations(text, problems), problems);
  Checked checked;
  checked.problems = problems.sorted();
  if (checked.problems.empty()) {
    checked.schema = std::move(schema);
  }
  return checked;
}

Result<Schema> compile(std::string_view text) {
  if (text.size() > kTextBytesMax) {
    return Error(ErrorKind::kLimit, "schema is too long")
        .with("text_bytes", text.size())
        .with("text_bytes_max", kTextBytesMax);
  }
  Checked checked = check(text);
  if (!checked.schema.has_value()) {
    return to_error("schema", checked.problems);
  }
  return *std::move(checked.schema);
}

}  // namespace weft::schema
