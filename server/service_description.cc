// The service described in RDF (SPARQL 1.1 Service Description).

#include "server/service_parts.h"

#include "weft/rdf/term.h"
#include "weft/rdfio/write.h"

namespace weft::server {
namespace {

constexpr std::string_view kSd = "http://www.w3.org/ns/sparql-service-description#";
constexpr std::string_view kFormats = "http://www.w3.org/ns/formats/";
constexpr std::string_view kVoid = "http://rdfs.org/ns/void#";

std::string sd(std::string_view name) {
  return rdf::make_iri(std::string(kSd) + std::string(name));
}

// Statements about one thing.
class Description {
 public:
  explicit Description(rdf::QuadSink& sink) : sink_(sink) {}
  void add(std::string_view subject, const std::string& predicate, const std::string& object) {
    if (status_.ok()) {
      const rdf::QuadView quad{subject, predicate, object, {}};
      status_ = sink_.accept(std::span(&quad, 1));
    }
  }
  Status status() const { return status_; }

 private:
  rdf::QuadSink& sink_;
  Status status_;
};

void describe(Description& out, const std::string& endpoint, bool updates, uint64_t quads) {
  const std::string type = rdf::make_iri(std::string(rdf::kRdf) + "type");
  constexpr std::string_view kService = "_:service";
  constexpr std::string_view kDataset = "_:dataset";
  constexpr std::string_view kGraph = "_:graph";
  out.add(kService, type, sd("Service"));
  out.add(kService, sd("endpoint"), rdf::make_iri(endpoint));
  out.add(kService, sd("supportedLanguage"), sd("SPARQL10Query"));
  out.add(kService, sd("supportedLanguage"), sd("SPARQL11Query"));
  if (updates) {
    out.add(kService, sd("supportedLanguage"), sd("SPARQL11Update"));
  }
  for (const std::string_view name :
       {"SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV",
        "Turtle", "N-Triples", "RDF_XML"}) {
    out.add(kService, sd("resultFormat"), rdf::make_iri(std::string(kFormats) + std::string(name)));
  }
  for (const std::string_view name : {"Turtle", "N-Triples", "RDF_XML", "TriG", "N-Quads"}) {
    out.add(kService, sd("inputFormat"), rdf::make_iri(std::string(kFormats) + std::string(name)));
  }
  out.add(kService, sd("defaultDataset"), std::string(kDataset));
  out.add(kDataset, type, sd("Dataset"));
  out.add(kDataset, sd("defaultGraph"), std::string(kGraph));
  out.add(kGraph, type, sd("Graph"));
  out.add(kDataset, rdf::make_iri(std::string(kVoid) + "triples"),
          rdf::make_literal(std::to_string(quads), {}, {}, std::string(rdf::kXsd) + "integer"));
}

}  // namespace

Status Service::answer_description(Exchange& exchange) {
  const RequestHead& head = exchange.head();
  WEFT_TRY(const GraphOffer offer, choose_graph_format(head, {}, false));
  const std::shared_ptr<engine::Snapshot> snapshot = graph_.snapshot();
  WEFT_TRY(const uint64_t quads, snapshot->quad_count(exchange.stop()));
  ResponseHead answer = make_head(exchange, 200);
  add_state_fields(*snapshot, rdfio::format_name(offer.format), Coding::kIdentity, answer);
  answer.set("Content-Type", offer.content_type);
  AnswerStream stream(exchange, std::move(answer), Coding::kIdentity);
  rdfio::WriteOptions options;
  options.prefixes = {{"sd", std::string(kSd)}, {"void", std::string(kVoid)}};
  const auto writer = rdfio::make_quad_writer(offer.format, stream, options);
  Description description(*writer);
  const std::string path = head.path == "/" ? options_.path_prefix + "/sparql" : head.path;
  describe(description, own_url(head) + path, !options_.read_only && graph_.facts().writable,
           quads);
  WEFT_TRY_STATUS(description.status());
  WEFT_TRY_STATUS(writer->finish());
  return stream.finish();
}

}  // namespace weft::server
