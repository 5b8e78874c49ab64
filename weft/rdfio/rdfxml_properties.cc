// Attributes, property elements and the terms they name.
#include <algorithm>
#include <array>
#include <utility>

#include "weft/rdf/iri.h"
#include "weft/rdf/scan.h"
#include "weft/rdf/term.h"
#include "weft/rdfio/characters.h"
#include "weft/rdfio/rdfxml_attributes.h"
#include "weft/rdfio/rdfxml_reader.h"
#include "weft/rdfio/xml_names.h"

namespace weft::rdfio {
namespace {

constexpr std::string_view kXml = "http://www.w3.org/XML/1998/namespace";
constexpr std::string_view kIts = "http://www.w3.org/2005/11/its";
constexpr std::string_view kTypeToken = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";

bool starts_with_xml(std::string_view name) {
  return name.size() >= 3 && (name[0] == 'x' || name[0] == 'X') &&
         (name[1] == 'm' || name[1] == 'M') && (name[2] == 'l' || name[2] == 'L');
}

// Section 6.1.4: these may stand without a namespace, as before 2001.
bool is_old_rdf_attribute(std::string_view local) {
  constexpr std::array<std::string_view, 5> kNames = {"ID", "about", "resource", "parseType",
                                                      "type"};
  return std::ranges::find(kNames, local) != kNames.end();
}

}  // namespace

bool RdfXmlReader::sort_attributes(const std::vector<XmlAttribute>& attributes, Frame& frame,
                                   RdfXmlAttributes& sorted) {
  return std::ranges::all_of(attributes, [&](const XmlAttribute& attribute) {
    return sort_attribute(attribute, frame, sorted);
  });
}

bool RdfXmlReader::sort_attribute(const XmlAttribute& attribute, Frame& frame,
                                  RdfXmlAttributes& sorted) {
  const auto& [space, local, prefix] = attribute.name;
  const std::string_view value = attribute.value;
  if (space == kXml) {
    if (local == "lang") {
      const char* const begin = value.data();
      const char* const end = begin + value.size();
      if (!value.empty() && scan_language_tag(begin, end).end != end) {
        return fail("malformed language tag");
      }
      frame.language = value;
    } else if (local == "base") {
      std::string token;
      if (!resolve(frame, value, token)) {
        return false;
      }
      frame.base = rdf::iri_of(token);
    }
    return true;
  }
  if (space == kIts) {
    if (local == "dir") {
      if (!value.empty() && value != "ltr" && value != "rtl") {
        return fail("its:dir is neither ltr nor rtl");
      }
      frame.direction = value;
    }
    return true;
  }
  if (space == rdf::kRdf || (space.empty() && is_old_rdf_attribute(local))) {
    return sort_rdf_attribute(local, attribute, frame, sorted);
  }
  if (space.empty()) {
    return starts_with_xml(local) || fail("an attribute needs a namespace");
  }
  sorted.properties.emplace_back(std::string(space).append(local), value);
  return true;
}

bool RdfXmlReader::sort_rdf_attribute(std::string_view local, const XmlAttribute& attribute,
                                      Frame& frame, RdfXmlAttributes& sorted) {
  const std::array<std::pair<std::string_view, std::optional<std::string_view>*>, 8> places = {{
      {"about", &sorted.about},
      {"ID", &sorted.id},
      {"nodeID", &sorted.node_id},
      {"resource", &sorted.resource},
      {"datatype", &sorted.datatype},
      {"parseType", &sorted.parse_type},
      {"annotation", &sorted.annotation},
      {"annotationNodeID", &sorted.annotation_node_id},
  }};
  for (const auto& [name, place] : places) {
    if (name == local) {
      if (place->has_value()) {
        return fail("the same rdf: attribute twice");
      }
      *place = attribute.value;
      return true;
    }
  }
  if (local == "version") {
    frame.is_rdf12 = frame.is_rdf12 || attribute.value.starts_with("1.2");
    return true;
  }
  const std::string iri = std::string(rdf::kRdf).append(local);
  if (!may_be_property(iri)) {
    return fail("this rdf: name cannot be an attribute");
  }
  sorted.properties.emplace_back(iri, attribute.value);
  return true;
}

// Section 7.2.14, propertyElt.
bool RdfXmlReader::begin_property(const XmlName& name,
                                  const std::vector<XmlAttribute>& attributes) {
  Frame& node = frames_.back();
  Frame frame = inherit(node, Kind::kProperty);
  // A node that parseType="Resource" makes is the object of its own property.
  frame.subject = node.kind == Kind::kResource ? node.object : node.subject;
  RdfXmlAttributes sorted;
  if (!sort_attributes(attributes, frame, sorted)) {
    return false;
  }
  std::string iri = std::string(name.space).append(name.local);
  if (name.space == rdf::kRdf && name.local == "li") {
    iri = std::string(rdf::kRdf) + "_" + std::to_string(++node.member_count);
  } else if (name.space.empty() || !may_be_property(iri)) {
    return fail(name.space.empty() ? "a property element needs a namespace"
                                   : "this name cannot be a property element");
  }
  if (!resolve(frame, iri, frame.predicate) || !read_reifier(frame, sorted, frame.reifier)) {
    return false;
  }
  if (sorted.about) {
    return fail("rdf:about is for node elements");
  }
  return sorted.parse_type ? begin_typed_property(std::move(frame), sorted, *sorted.parse_type)
                           : begin_plain_property(std::move(frame), sorted);
}

// Sections 7.2.17 to 7.2.20: rdf:parseType.
bool RdfXmlReader::begin_typed_property(Frame frame, const RdfXmlAttributes& sorted,
                                        std::string_view parse_type) {
  if (sorted.resource || sorted.node_id || sorted.datatype || !sorted.properties.empty()) {
    return fail("rdf:parseType goes with rdf:ID and annotations only");
  }
  if (parse_type == "Resource") {
    frame.kind = Kind::kResource;
    return make_anonymous(frame.object) && push(std::move(frame));
  }
  if (parse_type == "Collection") {
    frame.kind = Kind::kCollection;
    return push(std::move(frame));
  }
  if (parse_type != "Triple") {
    frame.kind = Kind::kLiteral;
    literal_ = {};
    literal_depth_ = 0;
    return push(std::move(frame));
  }
  if (!frame.is_rdf12) {
    frame.kind = Kind::kIgnored;
    return push(std::move(frame));
  }
  if (triple_depth_ >= rdf::kTripleNestingMax) {
    return fail("triple terms nest too deep (triple_nesting_max)", ErrorKind::kLimit);
  }
  frame.kind = Kind::kTriple;
  frame.capture_begin = captured_.size();
  if (!push(std::move(frame))) {
    return false;
  }
  ++triple_depth_;
  return true;
}

// Sections 7.2.15, 7.2.16 and 7.2.21: by attributes, or by what it will hold.
bool RdfXmlReader::begin_plain_property(Frame frame, const RdfXmlAttributes& sorted) {
  if (sorted.datatype) {
    if (sorted.resource || sorted.node_id || !sorted.properties.empty()) {
      return fail("rdf:datatype goes with text only");
    }
    return resolve(frame, *sorted.datatype, frame.datatype) && push(std::move(frame));
  }
  if (!sorted.resource && !sorted.node_id && sorted.properties.empty()) {
    return push(std::move(frame));
  }
  if (sorted.resource && sorted.node_id) {
    return fail("a property has only one of rdf:resource and rdf:nodeID");
  }
  frame.kind = Kind::kEmpty;
  std::string object;
  const bool named = sorted.resource  ? resolve(frame, *sorted.resource, object)
                     : sorted.node_id ? make_labelled(*sorted.node_id, object)
                                      : make_anonymous(object);
  return named && tell_property(frame, object) && tell_attributes(frame, object, sorted) &&
         push(std::move(frame));
}

bool RdfXmlReader::read_reifier(const Frame& frame, const RdfXmlAttributes& sorted,
                                Reifier& reifier) {
  if (sorted.annotation && sorted.annotation_node_id) {
    return fail("a property has only one of rdf:annotation and rdf:annotationNodeID");
  }
  if (sorted.id && !make_id(frame, *sorted.id, reifier.statement)) {
    return false;
  }
  if (sorted.annotation && !resolve(frame, *sorted.annotation, reifier.annotation)) {
    return false;
  }
  return !sorted.annotation_node_id ||
         make_labelled(*sorted.annotation_node_id, reifier.annotation);
}

// Property attributes: rdf:type names a resource, all others are literals.
bool RdfXmlReader::tell_attributes(const Frame& frame, const std::string& subject,
                                   const RdfXmlAttributes& sorted) {
  for (const auto& [iri, value] : sorted.properties) {
    std::string predicate;
    std::string object;
    if (!resolve(frame, iri, predicate)) {
      return false;
    }
    const bool is_type = predicate == kTypeToken;
    if (is_type ? !resolve(frame, value, object) : !make_literal(frame, value, object)) {
      return false;
    }
    emit(subject, predicate, object);
  }
  return true;
}

bool RdfXmlReader::tell_property(Frame& frame, const std::string& object) {
  emit(frame.subject, frame.predicate, object);
  if (!frame.reifier.statement.empty()) {
    const std::string rdf = "<" + std::string(rdf::kRdf);
    emit(frame.reifier.statement, kTypeToken, rdf + "Statement>");
    emit(frame.reifier.statement, rdf + "subject>", frame.subject);
    emit(frame.reifier.statement, rdf + "predicate>", frame.predicate);
    emit(frame.reifier.statement, rdf + "object>", object);
  }
  if (!frame.reifier.annotation.empty()) {
    emit(frame.reifier.annotation, "<" + std::string(rdf::kRdf) + "reifies>",
         rdf::make_triple(frame.subject, frame.predicate, object));
  }
  return true;
}

bool RdfXmlReader::resolve(const Frame& frame, std::string_view reference, std::string& token) {
  std::string iri(reference);
  if (!has_scheme(reference)) {
    if (frame.base.empty()) {
      return fail("relative IRI, and there is no base");
    }
    iri = rdf::resolve_iri(frame.base, reference);
  }
  bool non_ascii = false;
  const char* const end = iri.data() + iri.size();
  const char* const stop = rdf::find_iri_end(iri.data(), end, non_ascii);
  if (stop != end) {
    return fail(*stop == ' ' ? "space in an IRI" : "character that an IRI cannot hold");
  }
  if (iri.size() + 2 > kIriSizeMaxBytes) {
    return fail("IRI is too long (iri_size_max_bytes)", ErrorKind::kLimit);
  }
  token = rdf::make_iri(iri);
  return true;
}

// rdf:ID: a fragment of the base, each at most once in a document (section 7.2.34).
bool RdfXmlReader::make_id(const Frame& frame, std::string_view id, std::string& token) {
  if (!is_xml_name(id)) {
    return fail("rdf:ID is not a name");
  }
  if (!resolve(frame, "#" + std::string(id), token)) {
    return false;
  }
  return ids_.insert(token).second || fail("the same rdf:ID twice");
}

// A label may not end with a dot where an XML name may: dashes are added behind it, and behind
// names that look so already.
bool RdfXmlReader::make_labelled(std::string_view label, std::string& token) {
  if (!is_xml_name(label)) {
    return fail("rdf:nodeID is not a name");
  }
  std::string name(label);
  if (label.substr(0, label.find_last_not_of('-') + 1).ends_with('.')) {
    name.push_back('-');
  }
  token.clear();
  const Status status = labels_.append_labelled(token, name);
  if (!status.ok() && status.error().kind() == ErrorKind::kInvalid) {
    return fail(status.error().message());
  }
  return check(status);
}

bool RdfXmlReader::make_anonymous(std::string& token) {
  token.clear();
  return check(labels_.append_anonymous(token));
}

bool RdfXmlReader::make_literal(const Frame& frame, std::string_view lexical, std::string& token) {
  if (!frame.datatype.empty()) {
    if (needs_language(frame.datatype)) {
      return fail("rdf:langString and rdf:dirLangString need a language tag");
    }
    token = rdf::make_literal(lexical, {}, {}, rdf::iri_of(frame.datatype));
    return true;
  }
  const bool has_direction = frame.is_rdf12 && !frame.language.empty();
  token = rdf::make_literal(lexical, frame.language,
                            has_direction ? std::string_view(frame.direction) : "");
  return true;
}

}  // namespace weft::rdfio
