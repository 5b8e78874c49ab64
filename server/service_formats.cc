// Which format an answer has, and the fields that say so.

#include "server/service_parts.h"

namespace weft::server {
namespace {

constexpr std::array<std::string_view, 8> kResultTypes = {"application/sparql-results+json",
                                                          "application/sparql-results+xml",
                                                          "application/json",
                                                          "application/xml",
                                                          "text/xml",
                                                          "text/csv",
                                                          "text/tab-separated-values",
                                                          "text/plain"};
constexpr std::array<ResultOffer, kResultTypes.size()> kResultOffers = {
    {{results::ResultFormat::kJson, "application/sparql-results+json"},
     {results::ResultFormat::kXml, "application/sparql-results+xml"},
     {results::ResultFormat::kJson, "application/json"},
     {results::ResultFormat::kXml, "application/xml"},
     {results::ResultFormat::kXml, "text/xml; charset=utf-8"},
     {results::ResultFormat::kCsv, "text/csv; charset=utf-8"},
     {results::ResultFormat::kTsv, "text/tab-separated-values; charset=utf-8"},
     {results::ResultFormat::kTable, "text/plain; charset=utf-8"}}};

constexpr std::array<std::string_view, 8> kGraphTypes = {
    "text/turtle",         "application/n-triples",
    "application/rdf+xml", "application/trig",
    "application/n-quads", "text/plain",
    "application/xml",     "text/xml"};
constexpr std::array<GraphOffer, kGraphTypes.size()> kGraphOffers = {
    {{rdfio::Format::kTurtle, "text/turtle; charset=utf-8"},
     {rdfio::Format::kNTriples, "application/n-triples"},
     {rdfio::Format::kRdfXml, "application/rdf+xml"},
     {rdfio::Format::kTriG, "application/trig"},
     {rdfio::Format::kNQuads, "application/n-quads"},
     {rdfio::Format::kNTriples, "text/plain; charset=utf-8"},
     {rdfio::Format::kRdfXml, "application/xml"},
     {rdfio::Format::kRdfXml, "text/xml; charset=utf-8"}}};
constexpr std::array<std::string_view, 2> kDatasetTypes = {"application/n-quads",
                                                           "application/trig"};
constexpr std::array<GraphOffer, kDatasetTypes.size()> kDatasetOffers = {
    {{rdfio::Format::kNQuads, "application/n-quads"}, {rdfio::Format::kTriG, "application/trig"}}};

Error not_acceptable(const RequestHead& head, std::string_view take) {
  return http_error(406, ErrorKind::kInvalid, "no format that the client accepts can be given")
      .with("accept", head.value("Accept"))
      .with("take", take);
}

}  // namespace

Result<ResultOffer> choose_result_format(const RequestHead& head,
                                         const std::optional<std::string>& format) {
  if (format.has_value()) {
    const auto known = results::result_format_by_name(*format);
    for (const ResultOffer& offer : kResultOffers) {
      if (known == offer.format) {
        return offer;
      }
    }
  }
  const auto best = best_media_type(head.value("Accept"), kResultTypes);
  if (!best.has_value()) {
    return not_acceptable(head, "application/sparql-results+json");
  }
  return kResultOffers[*best];
}

Result<GraphOffer> choose_graph_format(const RequestHead& head,
                                       const std::optional<std::string>& format, bool with_graphs) {
  const std::span<const GraphOffer> offers =
      with_graphs ? std::span<const GraphOffer>(kDatasetOffers) : kGraphOffers;
  if (format.has_value()) {
    const auto known = rdfio::format_by_name(*format);
    for (const GraphOffer& offer : offers) {
      if (known == offer.format) {
        return offer;
      }
    }
  }
  const std::span<const std::string_view> types =
      with_graphs ? std::span<const std::string_view>(kDatasetTypes) : kGraphTypes;
  const auto best = best_media_type(head.value("Accept"), types);
  if (!best.has_value()) {
    return not_acceptable(head, types.front());
  }
  return offers[*best];
}

std::string entity_tag(const std::string& state_tag, std::string_view format, Coding coding) {
  std::string tag = state_tag + ".";
  tag += format;
  if (coding != Coding::kIdentity) {
    tag += '-';
    tag += coding_name(coding);
  }
  return tag;
}

std::string_view state_of_entity_tag(std::string_view entity_tag) {
  return entity_tag.substr(0, entity_tag.find('.'));
}

void add_state_fields(engine::Snapshot& snapshot, std::string_view format, Coding coding,
                      ResponseHead& head) {
  head.set("ETag", "\"" + entity_tag(snapshot.tag(), format, coding) + "\"");
  head.set("Weft-Generation", std::to_string(snapshot.generation()));
  head.set("Weft-Sequence", std::to_string(snapshot.sequence()));
  const std::string* const vary = head.find("Vary");
  head.set("Vary",
           vary == nullptr ? "Accept, Accept-Encoding" : *vary + ", Accept, Accept-Encoding");
  head.set("Cache-Control", "no-cache");
}

bool is_known(const RequestHead& head, std::string_view entity_tag) {
  const std::string field = head.value("If-None-Match");
  if (field.empty()) {
    return false;
  }
  const EntityTags tags = parse_entity_tags(field);
  const auto holds = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), entity_tag) != list.end();
  };
  return tags.any || holds(tags.strong) || holds(tags.weak);
}

}  // namespace weft::server
