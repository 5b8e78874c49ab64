// One text for all schemas that mean the same: types by kind and name, properties and constraints
// by name, constraints in the body, no comments.
#include <algorithm>
#include <set>

#include "weft/base/bytes.h"
#include "weft/codec/blake3.h"
#include "weft/schema/scanner.h"
#include "weft/schema/schema.h"

namespace weft::schema {
namespace {

std::string value_text(const AnnotationValue& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) {
    return quoted(*text);
  }
  if (const auto* const number = std::get_if<Number>(&value)) {
    return number->to_string();
  }
  if (const auto* const truth = std::get_if<bool>(&value)) {
    return *truth ? "true" : "false";
  }
  return std::get<BareName>(value).text;
}

std::string annotation_text(const Annotation& annotation) {
  std::string text = "@" + annotation.name;
  if (!annotation.value.has_value()) {
    return text;
  }
  text += '(' + value_text(*annotation.value);
  for (const auto& [name, value] : annotation.named) {
    text += ", " + name + "=" + value_text(value);
  }
  return text + ')';
}

// By name; those of one name in their order. What says where a name comes from is no part of what
// the schema is.
std::string annotations_text(const std::vector<Annotation>& annotations) {
  std::vector<const Annotation*> sorted;
  for (const Annotation& annotation : annotations) {
    if (annotation.name != "rename_from") {
      sorted.push_back(&annotation);
    }
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Annotation* a, const Annotation* b) { return a->name < b->name; });
  std::string text;
  for (const Annotation* annotation : sorted) {
    text += ' ' + annotation_text(*annotation);
  }
  return text;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::string property_text(const Property& property) {
  return "  " + property.name + ": " + property.type.to_string() +
         annotations_text(property.annotations) + "\n";
}

void append_properties(std::string& out, const EntityType& type) {
  std::set<std::string> lines;
  for (const Property& property : type.properties) {
    lines.insert(property_text(property));
  }
  for (const std::string& line : lines) {
    out += line;
  }
}

void append_lines(std::string& out, const std::set<std::string>& lines) {
  for (const std::string& line : lines) {
    out += "  " + line + "\n";
  }
}

void append_shared_constraints(std::string& out, const EntityType& type) {
  std::set<std::string> lines;
  for (const std::string& name : type.indices) {
    lines.insert("@index(" + name + ")");
  }
  append_lines(out, lines);
  lines.clear();
  for (const auto& members : type.uniques) {
    lines.insert("@unique(" + joined(members) + ")");
  }
  append_lines(out, lines);
}

void append_node(std::string& out, const NodeType& node) {
  std::vector<std::string> interfaces = node.interfaces;
  std::sort(interfaces.begin(), interfaces.end());
  out += "node " + node.name + annotations_text(node.annotations) +
         (interfaces.empty() ? "" : " implements " + joined(interfaces)) + " {\n";
  append_properties(out, node);
  std::set<std::string> lines;
  for (const Check& check : node.checks) {
    lines.insert("@check(" + check.property + ", " + quoted(check.pattern) + ")");
  }
  append_lines(out, lines);
  if (!node.key.empty()) {
    out += "  @key(" + joined(node.key) + ")\n";
  }
  lines.clear();
  for (const Range& range : node.ranges) {
    lines.insert("@range(" + range.property + ", " +
                 (range.min.has_value() ? range.min->to_string() : "") + ".." +
                 (range.max.has_value() ? range.max->to_string() : "") + ")");
  }
  append_lines(out, lines);
  append_shared_constraints(out, node);
  out += "}\n";
}

void append_edge(std::string& out, const EdgeType& edge) {
  out += "edge " + edge.name + ": " + edge.from + " -> " + edge.to;
  if (edge.cardinality.min > 0 || edge.cardinality.max.has_value()) {
    out += " @card(" + std::to_string(edge.cardinality.min) + ".." +
           (edge.cardinality.max.has_value() ? std::to_string(*edge.cardinality.max) : "") + ")";
  }
  out += annotations_text(edge.annotations) + " {\n";
  append_properties(out, edge);
  append_shared_constraints(out, edge);
  out += "}\n";
}

void append_interface(std::string& out, const InterfaceType& interface) {
  out += "interface " + interface.name + " {\n";
  std::set<std::string> lines;
  for (const InterfaceType::Member& member : interface.members) {
    std::string line = property_text(member.property);
    line.pop_back();
    for (const std::string& constraint : member.constraints) {
      line += " @" + constraint;
    }
    lines.insert(line + "\n");
  }
  for (const std::string& line : lines) {
    out += line;
  }
  out += "}\n";
}

}  // namespace

std::string canonical_text(const Schema& schema) {
  std::string text;
  for (const InterfaceType& interface : schema.interfaces()) {
    append_interface(text, interface);
  }
  for (const NodeType& node : schema.nodes()) {
    append_node(text, node);
  }
  for (const EdgeType& edge : schema.edges()) {
    append_edge(text, edge);
  }
  return text;
}

std::string shape_hash(const Schema& schema) {
  const std::string text = canonical_text(schema);
  return codec::to_hex(codec::blake3(as_bytes(text)));
}

}  // namespace weft::schema
