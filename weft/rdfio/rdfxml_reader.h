// RDF/XML (RDF 1.2) from the events of an XML parser. Section numbers are those of "RDF 1.2 XML
// Syntax".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "weft/base/result.h"
#include "weft/rdf/quad.h"
#include "weft/rdfio/batch.h"
#include "weft/rdfio/labels.h"
#include "weft/rdfio/parse.h"
#include "weft/rdfio/rdfxml_attributes.h"
#include "weft/rdfio/xml_literal.h"

namespace weft::rdfio {

// Takes the events in document order. Each gives false if reading has to stop: failure() says why.
// Not thread-safe; the arguments must outlive it.
class RdfXmlReader {
 public:
  RdfXmlReader(const ParseOptions& options, rdf::QuadSink& sink);

  struct Failure {
    std::string reason;
    ErrorKind kind = ErrorKind::kInvalid;
    std::optional<Error> outside;  // not about the text
  };

  bool start();
  bool begin_element(const XmlName& name, const std::vector<XmlAttribute>& attributes);
  bool end_element(const XmlName& name);
  bool add_text(std::string_view text);
  bool add_comment(std::string_view text);
  bool add_instruction(std::string_view target, std::string_view data);
  bool finish();

  Failure take_failure();
  // After a failure about the text: leaves out the element it is in, and goes on.
  void skip_failed_element();
  ParseReport& report() { return report_; }

 private:
  enum class Kind : uint8_t {
    kDocument,
    kRdf,         // rdf:RDF
    kNode,        // a node element: holds properties
    kProperty,    // a property whose content decides what it is
    kEmpty,       // a property that its attributes have told already
    kResource,    // parseType="Resource": a node without an element
    kCollection,  // parseType="Collection"
    kLiteral,     // parseType="Literal", and whatever is not known
    kTriple,      // parseType="Triple"
    kIgnored,     // parseType="Triple" of RDF 1.2 where that was not announced
  };
  struct Reifier {
    std::string statement;   // rdf:ID: the four triples of RDF 1.0 are said of it
    std::string annotation;  // rdf:annotation, rdf:annotationNodeID: it reifies the triple
  };
  struct Frame {
    Kind kind = Kind::kDocument;
    bool is_rdf12 = false;  // rdf:version="1.2" here or above
    bool has_child = false;
    bool is_untold = false;  // holds bad text, which was reported: a property is left out
    std::string base;
    std::string language;
    std::string direction;
    std::string subject;  // of a node: its token. Of a property: whose it is
    std::string predicate;
    std::string object;  // what the content has told; of a collection: its last cell
    std::string datatype;
    std::string text;
    Reifier reifier;
    uint64_t member_count = 0;  // rdf:li
    size_t capture_begin = 0;   // of a triple: where captured_ begins
  };

  bool fail(std::string_view reason, ErrorKind kind = ErrorKind::kInvalid);
  bool check(const Status& status);
  bool push(Frame frame);
  Frame inherit(const Frame& outer, Kind kind) const;

  bool sort_attributes(const std::vector<XmlAttribute>& attributes, Frame& frame,
                       RdfXmlAttributes& sorted);
  bool sort_attribute(const XmlAttribute& attribute, Frame& frame, RdfXmlAttributes& sorted);
  bool sort_rdf_attribute(std::string_view local, const XmlAttribute& attribute, Frame& frame,
                          RdfXmlAttributes& sorted);
  bool begin_node(const XmlName& name, const std::vector<XmlAttribute>& attributes);
  bool begin_property(const XmlName& name, const std::vector<XmlAttribute>& attributes);
  bool begin_typed_property(Frame frame, const RdfXmlAttributes& sorted,
                            std::string_view parse_type);
  bool begin_plain_property(Frame frame, const RdfXmlAttributes& sorted);
  bool read_reifier(const Frame& frame, const RdfXmlAttributes& sorted, Reifier& reifier);
  bool tell_attributes(const Frame& frame, const std::string& subject,
                       const RdfXmlAttributes& sorted);
  bool node_becomes_child(const std::string& node);
  bool end_property(Frame& frame);
  bool end_collection(Frame& frame);
  bool end_triple(Frame& frame);
  bool tell_property(Frame& frame, const std::string& object);

  bool resolve(const Frame& frame, std::string_view reference, std::string& token);
  bool make_id(const Frame& frame, std::string_view id, std::string& token);
  bool make_labelled(std::string_view label, std::string& token);
  bool make_anonymous(std::string& token);
  bool make_literal(const Frame& frame, std::string_view lexical, std::string& token);
  void emit(std::string_view subject, std::string_view predicate, std::string_view object);
  bool flush_if_large();
  bool flush();

  const ParseOptions& options_;
  rdf::QuadSink& sink_;
  DocumentPrefix prefix_;
  BlankNodeLabels labels_;
  std::vector<Frame> frames_;
  size_t skip_depth_ = 0;  // elements that are left out
  bool begin_failed_ = false;
  XmlLiteralBuilder literal_;
  size_t literal_depth_ = 0;
  std::unordered_set<std::string> ids_;
  // Triples inside parseType="Triple" are not told; they wait here.
  size_t triple_depth_ = 0;
  std::vector<std::array<std::string, 3>> captured_;
  TextArena arena_;
  std::vector<rdf::QuadView> batch_;
  ParseReport report_;
  std::optional<Failure> failure_;
};

}  // namespace weft::rdfio
