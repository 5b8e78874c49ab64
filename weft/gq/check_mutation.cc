// insert, update, delete.
#include <algorithm>
#include <utility>

#include "weft/gq/checker.h"

namespace weft::gq {
namespace {

// What `from` and `to` of an edge are in a mutation.
const schema::Property& endpoint(std::string_view name) {
  static const schema::Property from = {"from", {}, {}, {}};
  static const schema::Property to = {"to", {}, {}, {}};
  return name == "from" ? from : to;
}

bool is_endpoint(std::string_view name) {
  return name == "from" || name == "to";
}

}  // namespace

void Checker::check_mutation(Mutation& mutation) {
  for (Statement& statement : mutation.statements) {
    if (auto* const insert = std::get_if<Insert>(&statement)) {
      check_insert(*insert);
    } else if (auto* const update = std::get_if<Update>(&statement)) {
      check_update(*update);
    } else {
      check_delete(std::get<Delete>(statement));
    }
  }
  check_one_kind(mutation);
}

void Checker::check_insert(Insert& insert) {
  const schema::NodeType* const node = schema_.find_node(insert.type.text);
  const schema::EdgeType* const edge =
      node == nullptr ? schema_.find_edge(insert.type.text) : nullptr;
  if (node == nullptr && edge == nullptr) {
    report(insert.type.place, "T10", "there is no node or edge type " + insert.type.text);
    return;
  }
  insert.is_edge = edge != nullptr;
  const schema::EntityType& type =
      node != nullptr ? static_cast<const schema::EntityType&>(*node) : *edge;
  use(reads_, insert.is_edge, type.name);
  use(writes_, insert.is_edge, type.name);
  if (edge != nullptr) {
    use(reads_, false, edge->from);
    use(reads_, false, edge->to);
  }
  check_assignments(type, insert.values, insert.is_edge);
  const auto assigned = [&insert](std::string_view name) {
    return std::any_of(insert.values.begin(), insert.values.end(),
                       [name](const Assignment& value) { return value.property.text == name; });
  };
  for (const schema::Property& property : type.properties) {
    if (!property.type.nullable && !assigned(property.name)) {
      report(insert.type.place, "T12", type.name + " needs a value for " + property.name);
    }
  }
  for (const std::string_view end : {"from", "to"}) {
    if (insert.is_edge && !assigned(end)) {
      report(insert.type.place, "T12",
             "edge " + type.name + " needs its end `" + std::string(end) + "`");
    }
  }
}

void Checker::check_assignments(const schema::EntityType& type, std::vector<Assignment>& values,
                                bool has_endpoints) {
  std::set<std::string_view> names;
  for (Assignment& value : values) {
    const std::string& name = value.property.text;
    if (!names.insert(name).second) {
      report(value.property.place, "T13", name + " is assigned twice");
    }
    const schema::Property* property = type.find(name);
    if (property == nullptr && has_endpoints && is_endpoint(name)) {
      property = &endpoint(name);
    }
    if (property == nullptr) {
      report(value.property.place, "T11",
             type.name + " has no property " + name +
                 (has_endpoints && (name == "src" || name == "dst")
                      ? "; the ends of an edge are `from` and `to`"
                      : ""));
      continue;
    }
    check_value(*property, value.value, ValueUse::kAssign);
  }
}

void Checker::check_update(Update& update) {
  const schema::NodeType* const node = schema_.find_node(update.type.text);
  if (node == nullptr) {
    const bool is_edge = schema_.find_edge(update.type.text) != nullptr;
    report(update.type.place, is_edge ? "T16" : "T10",
           is_edge ? "edges cannot be updated: " + update.type.text
                   : "there is no node type " + update.type.text);
    return;
  }
  use(reads_, false, node->name);
  use(writes_, false, node->name);
  check_assignments(*node, update.values, false);
  for (const Assignment& value : update.values) {
    if (node->is_key_member(value.property.text)) {
      report(value.property.place, "key_update",
             "key property " + value.property.text + " of " + node->name + " cannot be updated");
    }
  }
  check_where(*node, update.where, false);
}

void Checker::check_delete(Delete& statement) {
  const schema::NodeType* const node = schema_.find_node(statement.type.text);
  const schema::EdgeType* const edge =
      node == nullptr ? schema_.find_edge(statement.type.text) : nullptr;
  if (node == nullptr && edge == nullptr) {
    report(statement.type.place, "T10", "there is no node or edge type " + statement.type.text);
    return;
  }
  statement.is_edge = edge != nullptr;
  for (std::set<TypeUse>* const set : {&reads_, &writes_}) {
    use(*set, statement.is_edge, statement.type.text);
    for (const schema::EdgeType& incident : schema_.edges()) {
      if (node != nullptr && (incident.from == node->name || incident.to == node->name)) {
        use(*set, true, incident.name);
      }
    }
  }
  if (node != nullptr) {
    check_where(*node, statement.where, false);
  } else {
    check_where(*edge, statement.where, true);
  }
}

void Checker::check_where(const schema::EntityType& type, Predicate& where, bool has_endpoints) {
  const schema::Property* property = type.find(where.property.text);
  if (property == nullptr && has_endpoints && is_endpoint(where.property.text)) {
    property = &endpoint(where.property.text);
  }
  if (property == nullptr) {
    report(where.property.place, "T11", type.name + " has no property " + where.property.text);
    return;
  }
  check_value(*property, where.value, ValueUse::kWhere);
}

void Checker::check_one_kind(const Mutation& mutation) {
  size_t deletes = 0;
  const Statement* other = nullptr;
  for (const Statement& statement : mutation.statements) {
    if (std::holds_alternative<Delete>(statement)) {
      ++deletes;
    } else {
      other = &statement;
    }
  }
  if (deletes > 0 && other != nullptr) {
    report(out_.query.name.place, "mixed_mutation",
           "mutation " + out_.query.name.text + " mixes inserts and updates (" +
               std::to_string(mutation.statements.size() - deletes) + ") with deletes (" +
               std::to_string(deletes) + "); make them two mutations");
  }
}

}  // namespace weft::gq
