#include "weft/rdfio/rdfxml_reader.h"

#include <algorithm>
#include <utility>

#include "weft/rdf/iri.h"
#include "weft/rdf/scan.h"
#include "weft/rdf/term.h"
#include "weft/rdfio/characters.h"
#include "weft/rdfio/rdfxml_attributes.h"
#include "weft/rdfio/xml_names.h"

namespace weft::rdfio {
namespace {

constexpr std::string_view kDescription = "http://www.w3.org/1999/02/22-rdf-syntax-ns#Description";
constexpr std::string_view kRdfElement = "http://www.w3.org/1999/02/22-rdf-syntax-ns#RDF";
constexpr std::string_view kTypeToken = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";

bool is_space(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string iri_of_name(const XmlName& name) {
  return std::string(name.space).append(name.local);
}

}  // namespace

RdfXmlReader::RdfXmlReader(const ParseOptions& options, rdf::QuadSink& sink)
    : options_(options), sink_(sink), prefix_(options.blank_node_prefix), labels_(prefix_) {}

bool RdfXmlReader::start() {
  Frame document;
  if (!options_.base_iri.empty() && !has_scheme(options_.base_iri)) {
    return check(
        Error(ErrorKind::kInvalid, "base is not an absolute IRI").with("base", options_.base_iri));
  }
  document.base = options_.base_iri;
  frames_.push_back(std::move(document));
  return true;
}

bool RdfXmlReader::fail(std::string_view reason, ErrorKind kind) {
  failure_.emplace(Failure{std::string(reason), kind, std::nullopt});
  return false;
}

bool RdfXmlReader::check(const Status& status) {
  if (!status.ok()) {
    failure_.emplace(Failure{{}, status.error().kind(), status.error()});
  }
  return status.ok();
}

RdfXmlReader::Failure RdfXmlReader::take_failure() {
  WEFT_CHECK(failure_.has_value());
  Failure failure = std::move(*failure_);
  failure_.reset();
  return failure;
}

void RdfXmlReader::skip_failed_element() {
  if (begin_failed_) {
    skip_depth_ = 1;  // its frame was not pushed
  } else {
    frames_.back().is_untold = true;  // bad text within; at the end of an element it does no harm
  }
  begin_failed_ = false;
}

bool RdfXmlReader::push(Frame frame) {
  if (frames_.size() > options_.nesting_max) {
    return fail("elements nest too deep (nesting_max)", ErrorKind::kLimit);
  }
  frames_.push_back(std::move(frame));
  return true;
}

RdfXmlReader::Frame RdfXmlReader::inherit(const Frame& outer, Kind kind) const {
  Frame frame;
  frame.kind = kind;
  frame.is_rdf12 = outer.is_rdf12;
  frame.base = outer.base;
  frame.language = outer.language;
  frame.direction = outer.direction;
  return frame;
}

bool RdfXmlReader::begin_element(const XmlName& name, const std::vector<XmlAttribute>& attributes) {
  if (skip_depth_ > 0) {
    ++skip_depth_;
    return true;
  }
  Frame& top = frames_.back();
  const size_t told = batch_.size();
  const size_t captured = captured_.size();
  bool good = false;
  switch (top.kind) {
    case Kind::kLiteral:
      if (literal_depth_ >= options_.nesting_max) {
        good = fail("elements nest too deep (nesting_max)", ErrorKind::kLimit);
        break;
      }
      ++literal_depth_;
      literal_.begin_element(name, attributes);
      return true;
    case Kind::kIgnored:
      skip_depth_ = 1;
      return true;
    case Kind::kDocument:
    case Kind::kRdf:
    case Kind::kCollection:
      good = begin_node(name, attributes);
      break;
    case Kind::kProperty:
    case Kind::kTriple:
      if (!is_space(top.text)) {
        good = fail("text and elements in one property");
      } else if (top.has_child || !top.datatype.empty()) {
        good = fail(top.has_child ? "more than one node in a property"
                                  : "a property with a datatype holds text only");
      } else {
        good = begin_node(name, attributes);
      }
      break;
    case Kind::kEmpty:
      good = fail("a property with these attributes must be empty");
      break;
    case Kind::kNode:
    case Kind::kResource:
      good = begin_property(name, attributes);
      break;
  }
  begin_failed_ = !good;
  if (!good) {
    // What was told before the failure was found goes too.
    batch_.resize(told);
    captured_.resize(captured);
    // A property whose only node is bad says nothing.
    frames_.back().is_untold = top.kind == Kind::kProperty || top.kind == Kind::kTriple;
    return false;
  }
  return flush_if_large();
}

bool RdfXmlReader::end_element(const XmlName& name) {
  if (skip_depth_ > 0) {
    --skip_depth_;
    return true;
  }
  if (frames_.back().kind == Kind::kLiteral && literal_depth_ > 0) {
    --literal_depth_;
    literal_.end_element(name);
    return true;
  }
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  switch (frame.kind) {
    case Kind::kDocument:
    case Kind::kRdf:
    case Kind::kNode:
    case Kind::kEmpty:
    case Kind::kIgnored:
      return true;
    case Kind::kProperty:
      return end_property(frame);
    case Kind::kResource:
      return tell_property(frame, frame.object);
    case Kind::kCollection:
      return end_collection(frame);
    case Kind::kLiteral: {
      if (frame.is_untold) {
        return true;
      }
      const std::string object =
          rdf::make_literal(literal_.text(), {}, {}, std::string(rdf::kRdf) + "XMLLiteral");
      literal_ = {};
      return tell_property(frame, object);
    }
    case Kind::kTriple:
      return end_triple(frame);
  }
  return true;
}

bool RdfXmlReader::add_text(std::string_view text) {
  if (skip_depth_ > 0 || frames_.back().is_untold) {
    return true;
  }
  Frame& top = frames_.back();
  switch (top.kind) {
    case Kind::kLiteral:
      literal_.add_text(text);
      return literal_.text().size() <= options_.literal_size_max_bytes ||
             fail("literal is too long (literal_size_max_bytes)", ErrorKind::kLimit);
    case Kind::kProperty:
      if (top.has_child) {
        return is_space(text) || fail("text and elements in one property");
      }
      top.text.append(text);
      return top.text.size() <= options_.literal_size_max_bytes ||
             fail("literal is too long (literal_size_max_bytes)", ErrorKind::kLimit);
    case Kind::kIgnored:
      return true;
    case Kind::kDocument:
    case Kind::kRdf:
    case Kind::kNode:
    case Kind::kEmpty:
    case Kind::kResource:
    case Kind::kCollection:
    case Kind::kTriple:
      return is_space(text) || fail("text where only elements may be");
  }
  return true;
}

bool RdfXmlReader::add_comment(std::string_view text) {
  if (skip_depth_ == 0 && frames_.back().kind == Kind::kLiteral) {
    literal_.add_comment(text);
  }
  return true;
}

bool RdfXmlReader::add_instruction(std::string_view target, std::string_view data) {
  if (skip_depth_ == 0 && frames_.back().kind == Kind::kLiteral) {
    literal_.add_instruction(target, data);
  }
  return true;
}

// Section 7.2.11, nodeElement; 7.2.9, RDF.
bool RdfXmlReader::begin_node(const XmlName& name, const std::vector<XmlAttribute>& attributes) {
  const std::string iri = iri_of_name(name);
  const bool is_document = frames_.back().kind == Kind::kDocument;
  Frame frame =
      inherit(frames_.back(), is_document && iri == kRdfElement ? Kind::kRdf : Kind::kNode);
  RdfXmlAttributes sorted;
  if (!sort_attributes(attributes, frame, sorted)) {
    return false;
  }
  if (frame.kind == Kind::kRdf) {
    return sorted.is_empty() ? push(std::move(frame))
                             : fail("rdf:RDF has no attributes of its own");
  }
  if (name.space.empty() || !may_be_node(iri)) {
    return fail(name.space.empty() ? "a node element needs a namespace"
                                   : "this name cannot be a node element");
  }
  if (sorted.about.has_value() + sorted.id.has_value() + sorted.node_id.has_value() > 1) {
    return fail("a node has only one of rdf:about, rdf:ID and rdf:nodeID");
  }
  if (sorted.has_property_syntax()) {
    return fail("this rdf: attribute is for property elements");
  }
  const bool named = sorted.about     ? resolve(frame, *sorted.about, frame.subject)
                     : sorted.id      ? make_id(frame, *sorted.id, frame.subject)
                     : sorted.node_id ? make_labelled(*sorted.node_id, frame.subject)
                                      : make_anonymous(frame.subject);
  if (!named) {
    return false;
  }
  std::string type;
  if (iri != kDescription && !resolve(frame, iri, type)) {
    return false;
  }
  if (!node_becomes_child(frame.subject)) {
    return false;
  }
  if (!type.empty()) {
    emit(frame.subject, kTypeToken, type);
  }
  return tell_attributes(frame, frame.subject, sorted) && push(std::move(frame));
}

// Tells what the enclosing element makes of a node in it.
bool RdfXmlReader::node_becomes_child(const std::string& node) {
  constexpr std::string_view kFirst = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>";
  constexpr std::string_view kRest = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>";
  Frame& outer = frames_.back();
  if (outer.kind == Kind::kCollection) {
    std::string cell;
    if (!make_anonymous(cell)) {
      return false;
    }
    if (!outer.has_child) {
      outer.has_child = true;
      if (!tell_property(outer, cell)) {
        return false;
      }
    } else {
      emit(outer.object, kRest, cell);
    }
    emit(cell, kFirst, node);
    outer.object = cell;
    return true;
  }
  outer.has_child = true;
  if (outer.kind == Kind::kProperty) {
    return tell_property(outer, node);
  }
  return true;
}

bool RdfXmlReader::end_property(Frame& frame) {
  if (frame.has_child || frame.is_untold) {
    return true;
  }
  std::string object;
  return make_literal(frame, frame.text, object) && tell_property(frame, object);
}

bool RdfXmlReader::end_collection(Frame& frame) {
  constexpr std::string_view kRest = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>";
  constexpr std::string_view kNil = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>";
  if (frame.has_child) {
    emit(frame.object, kRest, kNil);
    return true;
  }
  return tell_property(frame, std::string(kNil));
}

bool RdfXmlReader::end_triple(Frame& frame) {
  --triple_depth_;
  const size_t count = captured_.size() - frame.capture_begin;
  std::string object;
  if (count == 1) {
    const auto& [subject, predicate, inner] = captured_.back();
    object = rdf::make_triple(subject, predicate, inner);
  }
  captured_.resize(frame.capture_begin);
  if (frame.is_untold) {
    return true;
  }
  return count == 1 ? tell_property(frame, object)
                    : fail("parseType=\"Triple\" must hold exactly one triple");
}

bool RdfXmlReader::finish() {
  return flush();
}

void RdfXmlReader::emit(std::string_view subject, std::string_view predicate,
                        std::string_view object) {
  if (triple_depth_ > 0) {
    captured_.push_back({std::string(subject), std::string(predicate), std::string(object)});
    return;
  }
  const std::string_view kept_subject = arena_.keep(subject);
  const std::string_view kept_predicate = arena_.keep(predicate);
  batch_.push_back({kept_subject, kept_predicate, arena_.keep(object), {}});
}

bool RdfXmlReader::flush_if_large() {
  constexpr size_t kArenaBytesMax = size_t{16} << 20U;
  return (batch_.size() < kBatchQuads && arena_.used_bytes() < kArenaBytesMax) || flush();
}

bool RdfXmlReader::flush() {
  if (options_.stop.stop_requested()) {
    return check(Error(ErrorKind::kCancelled, "reading was stopped"));
  }
  if (!batch_.empty()) {
    if (!check(sink_.accept(batch_))) {
      return false;
    }
    report_.statements += batch_.size();
    batch_.clear();
  }
  arena_.clear();
  return true;
}

}  // namespace weft::rdfio
