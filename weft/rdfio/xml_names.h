// Names of XML, as far as RDF/XML needs them.
#pragma once

#include <cstddef>
#include <string_view>

namespace weft::rdfio {

// An NCName (Namespaces in XML 1.0, third edition).
bool is_xml_name(std::string_view text);

// Where the longest name at the end of `iri` begins that every parser of XML 1.0 reads, those of
// the fourth edition included; iri.size() if there is none.
size_t xml_name_start(std::string_view iri);

// Whether an element with this name may be a property, and means what it says: rdf:li does not, and
// the names of the syntax itself are no properties. (RDF/XML, section 6.1.4)
bool may_be_property(std::string_view iri);
// Whether an element with this name may be a node: the same, with rdf:li allowed.
bool may_be_node(std::string_view iri);

}  // namespace weft::rdfio
