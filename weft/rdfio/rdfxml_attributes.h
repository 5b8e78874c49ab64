// The attributes of an element of RDF/XML, sorted by what they are for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::rdfio {

// Views of the parser.
struct RdfXmlAttributes {
  std::optional<std::string_view> about;
  std::optional<std::string_view> id;
  std::optional<std::string_view> node_id;
  std::optional<std::string_view> resource;
  std::optional<std::string_view> datatype;
  std::optional<std::string_view> parse_type;
  std::optional<std::string_view> annotation;
  std::optional<std::string_view> annotation_node_id;
  std::vector<std::pair<std::string, std::string_view>> properties;  // IRI, value

  // What only a property element may have.
  bool has_property_syntax() const {
    return resource || datatype || parse_type || annotation || annotation_node_id;
  }
  bool is_empty() const {
    return !about && !id && !node_id && !has_property_syntax() && properties.empty();
  }
};

}  // namespace weft::rdfio
