// The SPARQL 1.1 Graph Store HTTP Protocol, and the whole store as one data set.

#include <array>

#include "server/multipart.h"
#include "server/service_parts.h"

#include "weft/base/random.h"
#include "weft/codec/decompress.h"
#include "weft/quads/dump_fold.h"
#include "weft/rdf/term.h"
#include "weft/rdfio/parse.h"
#include "weft/rdfio/write.h"

namespace weft::server {
namespace {

// Rows whose tokens are looked up at once.
constexpr size_t kRowsAtOnce = size_t{32} << 10U;

// Fails beyond a number of bytes: compressed bodies may grow.
class BoundedInput final : public codec::InputStream {
 public:
  BoundedInput(std::unique_ptr<codec::InputStream> input, uint64_t max_bytes)
      : input_(std::move(input)), left_(max_bytes) {}
  Result<size_t> read(std::span<std::byte> out) override {
    WEFT_TRY(const size_t count, input_->read(out));
    if (count > left_) {
      return Error(ErrorKind::kLimit, "the decompressed body is too long")
          .with("limit", "max-body, times 16");
    }
    left_ -= count;
    return count;
  }

 private:
  std::unique_ptr<codec::InputStream> input_;
  uint64_t left_;
};

// The pattern of one graph; nullopt if the fold has no quad in it.
Result<std::optional<rdf::IdPattern>> pattern_of(quads::Fold& fold, const std::string& graph,
                                                 const std::stop_token& stop) {
  rdf::IdPattern pattern;
  if (graph.empty()) {
    return std::optional(pattern);
  }
  const std::string token = rdf::make_iri(graph);
  const std::string_view view = token;
  std::vector<rdf::TermId> ids;
  WEFT_TRY_STATUS(fold.find(std::span(&view, 1), ids, stop));
  if (ids.empty() || ids[0] == rdf::kNoTerm) {
    return std::optional<rdf::IdPattern>();
  }
  pattern.scope = rdf::GraphScope::kOne;
  pattern.graph = ids[0];
  WEFT_TRY(const auto cursor, fold.scan(pattern, rdf::Permutation::kSpo, stop));
  rdf::IdBatch batch;
  WEFT_TRY_STATUS(cursor->next(batch));
  return batch.size() == 0 ? std::optional<rdf::IdPattern>() : std::optional(pattern);
}

// Quads of `pattern` as triples.
Status write_triples(quads::Fold& fold, const rdf::IdPattern& pattern, rdf::QuadSink& sink,
                     const std::stop_token& stop) {
  WEFT_TRY(const auto cursor, fold.scan(pattern, rdf::Permutation::kSpo, stop));
  quads::TokenRows tokens(fold);
  std::vector<quads::TokenRows::Row> rows;
  rdf::IdBatch batch;
  for (;;) {
    WEFT_TRY_STATUS(cursor->next(batch));
    for (size_t i = 0; i < batch.size(); ++i) {
      rows.push_back({batch.subject[i], batch.predicate[i], batch.object[i], rdf::kNoTerm});
    }
    if (rows.size() >= kRowsAtOnce || (batch.size() == 0 && !rows.empty())) {
      WEFT_TRY(const std::span<const rdf::QuadView> quads, tokens.name(rows, stop));
      WEFT_TRY_STATUS(sink.accept(quads));
      rows.clear();
    }
    if (batch.size() == 0) {
      return ok_status();
    }
  }
}

Result<rdfio::Format> format_of(std::string_view content_type, std::string_view file_name) {
  const std::optional<MediaType> type = parse_media_type(content_type);
  if (type.has_value()) {
    const std::string* const charset = type->parameter("charset");
    const auto format =
        rdfio::format_by_name(type->name == "text/plain" ? "application/n-triples" : type->name);
    if (format.has_value() && (charset == nullptr || equals_without_case(*charset, "utf-8") ||
                               equals_without_case(*charset, "us-ascii"))) {
      return *format;
    }
  } else if (const auto format = rdfio::format_by_file_name(file_name)) {
    return *format;
  }
  return http_error(415, ErrorKind::kInvalid,
                    "take text/turtle, application/n-triples, application/rdf+xml, "
                    "application/trig or application/n-quads, in UTF-8")
      .with("content_type", std::string(content_type));
}

// All parts as one N-Triples text; blank nodes of different parts stay apart.
Result<std::string> join_parts(std::string_view body, std::string_view boundary,
                               const std::string& base_iri, const std::stop_token& stop) {
  WEFT_TRY(const std::vector<PartView> parts, parse_multipart(body, boundary));
  codec::StringOutput text;
  for (size_t i = 0; i < parts.size(); ++i) {
    WEFT_TRY(const rdfio::Format format, format_of(parts[i].content_type, parts[i].file_name));
    rdfio::ParseOptions options;
    options.base_iri = base_iri;
    options.file_name = parts[i].file_name;
    options.stop = stop;
    options.blank_node_prefix = [i] { return Result<std::string>("p" + std::to_string(i) + "-"); };
    const auto writer = rdfio::make_quad_writer(rdfio::Format::kNTriples, text);
    codec::MemoryInputView input(parts[i].bytes);
    WEFT_TRY(const rdfio::ParseReport report, rdfio::parse(input, format, options, *writer));
    static_cast<void>(report);
    WEFT_TRY_STATUS(writer->finish());
  }
  return std::move(text).text();
}

// The parameters "graph" and "default" of indirect identification. nullopt: neither.
Result<std::optional<std::string>> indirect_graph(const RequestHead& head) {
  WEFT_TRY(const std::vector<Parameter> parameters, parse_form(head.query));
  std::optional<std::string> graph;
  for (const Parameter& parameter : parameters) {
    if (parameter.name != "graph" && parameter.name != "default") {
      continue;
    }
    if (graph.has_value()) {
      return Error(ErrorKind::kInvalid, "name one graph, or the default graph");
    }
    graph = parameter.name == "graph" ? parameter.value : "";
    if (parameter.name == "graph" && !is_absolute_iri(*graph)) {
      return Error(ErrorKind::kInvalid, "a graph is named by an absolute IRI")
          .with("graph", *graph);
    }
  }
  return graph;
}

}  // namespace

Status Service::handle_graph_store(Exchange& exchange, const Route& route) {
  const RequestHead& head = exchange.head();
  std::optional<std::string> graph;
  if (route.direct) {
    graph = own_url(head) + head.path + (head.query.empty() ? "" : "?" + head.query);
    if (!is_absolute_iri(*graph)) {
      return Error(ErrorKind::kInvalid, "the path names no graph");
    }
  } else {
    WEFT_TRY(graph, indirect_graph(head));
  }
  switch (head.method) {
    case Method::kGet:
    case Method::kHead:
      return read_graph(exchange, graph);
    case Method::kPut:
      return write_graph(exchange, graph, false);
    case Method::kPost: {
      // A document of triples without a graph's name makes a graph.
      const std::optional<MediaType> type = parse_media_type(head.value("Content-Type"));
      const auto format = rdfio::format_by_name(type.has_value() ? type->name : "");
      const bool data_set = format.has_value() && rdfio::has_named_graphs(*format);
      if (graph.has_value() || data_set) {
        return write_graph(exchange, graph, false);
      }
      base::Random random = base::Random::from_system();
      std::string path = head.path;
      path += path.ends_with('/') ? "" : "/";
      graph = own_url(head) + path + base::random_name(random);
      return write_graph(exchange, graph, true);
    }
    case Method::kDelete:
      return delete_graph(exchange, graph);
    case Method::kPatch:
      return patch_graph(exchange, graph);
    case Method::kOptions:
    case Method::kOther:
      break;
  }
  return http_error(405, ErrorKind::kInvalid, "take GET, HEAD, PUT, POST, DELETE or PATCH");
}

Status Service::read_graph(Exchange& exchange, const std::optional<std::string>& graph) {
  const RequestHead& head = exchange.head();
  WEFT_TRY(const GraphOffer offer, choose_graph_format(head, {}, !graph.has_value()));
  const std::shared_ptr<engine::Snapshot> snapshot = graph_.snapshot();
  quads::Fold& fold = snapshot->fold();
  std::optional<rdf::IdPattern> pattern;
  if (graph.has_value()) {
    WEFT_TRY(pattern, pattern_of(fold, *graph, exchange.stop()));
    if (!pattern.has_value()) {
      return Error(ErrorKind::kNotFound, "there is no such graph").with("graph", *graph);
    }
  }
  const Coding coding = best_coding(head.value("Accept-Encoding"));
  const std::string_view format = rdfio::format_name(offer.format);
  ResponseHead answer = make_head(exchange, 200);
  add_state_fields(*snapshot, format, coding, answer);
  answer.set("Content-Type", offer.content_type);
  if (is_known(head, entity_tag(snapshot->tag(), format, coding))) {
    answer.status = 304;
    exchange.send(std::move(answer), "");
    return ok_status();
  }
  if (head.method == Method::kHead) {
    exchange.send(std::move(answer), "");
    return ok_status();
  }
  AnswerStream stream(exchange, std::move(answer), coding);
  const auto writer = rdfio::make_quad_writer(offer.format, stream);
  Status status = graph.has_value() ? write_triples(fold, *pattern, *writer, exchange.stop())
                                    : quads::dump_fold(fold, *writer, {}, exchange.stop());
  if (status.ok()) {
    status = writer->finish();
  }
  if (status.ok()) {
    status = stream.finish();
  }
  if (!status.ok() && stream.begun()) {
    exchange.note(status.error());
    exchange.abandon();
    return ok_status();
  }
  return status;
}

Result<engine::UpdateReceipt> Service::load_body(Exchange& exchange,
                                                 const std::optional<std::string>& graph) {
  const RequestHead& head = exchange.head();
  const bool replace = head.method == Method::kPut;
  engine::LoadRequest request;
  request.graph = graph;
  request.replace = replace;
  request.base_iri = graph.has_value() && !graph->empty() ? *graph : own_url(head) + head.path;
  request.document_name = "body";
  WEFT_TRY(const engine::UpdateOptions options, update_options(exchange));
  const std::string content_type = head.value("Content-Type");
  const std::optional<MediaType> type = parse_media_type(content_type);
  std::string joined;
  std::unique_ptr<codec::InputStream> input;
  if (type.has_value() && type->name == "multipart/form-data") {
    const std::string* const boundary = type->parameter("boundary");
    WEFT_TRY(const std::string body, body_text(exchange, kMultipartBytesMax));
    WEFT_TRY(joined, join_parts(body, boundary == nullptr ? "" : *boundary, request.base_iri,
                                exchange.stop()));
    request.format = rdfio::Format::kNTriples;
    input = std::make_unique<codec::MemoryInputView>(joined);
  } else {
    WEFT_TRY(request.format, format_of(content_type, ""));
    WEFT_TRY(input, codec::decompress(exchange.body()));
    input =
        std::make_unique<BoundedInput>(std::move(input), options_.body_max_bytes * kExpansionMax);
  }
  request.input = input.get();
  return graph_.load(request, options);
}

Status Service::write_graph(Exchange& exchange, const std::optional<std::string>& graph,
                            bool created_name) {
  const int64_t begin = environment_.clock().monotonic_microseconds();
  bool existed = true;
  if (graph.has_value() && !graph->empty()) {
    const std::shared_ptr<engine::Snapshot> snapshot = graph_.snapshot();
    WEFT_TRY(const auto pattern, pattern_of(snapshot->fold(), *graph, exchange.stop()));
    existed = pattern.has_value();
  }
  const Result<engine::UpdateReceipt> receipt = load_body(exchange, graph);
  metrics_.count_update(environment_.clock().monotonic_microseconds() - begin, !receipt.ok());
  if (!receipt.ok()) {
    return as_precondition(receipt.error(), exchange.head().has("If-Match"));
  }
  send_receipt(exchange, *receipt, existed ? 200 : 201, created_name ? graph.value_or("") : "");
  return ok_status();
}

Status Service::delete_graph(Exchange& exchange, const std::optional<std::string>& graph) {
  if (!graph.has_value()) {
    return Error(ErrorKind::kInvalid,
                 "name the graph with ?graph=IRI or ?default; all graphs go with DROP ALL");
  }
  WEFT_TRY(const engine::UpdateOptions options, update_options(exchange));
  const Result<engine::UpdateReceipt> receipt = graph_.drop(*graph, options);
  if (!receipt.ok()) {
    return as_precondition(receipt.error(), options.if_tag.has_value());
  }
  send_receipt(exchange, *receipt, 200, "");
  return ok_status();
}

Status Service::patch_graph(Exchange& exchange, const std::optional<std::string>& graph) {
  const std::optional<MediaType> type = parse_media_type(exchange.head().value("Content-Type"));
  if (!type.has_value() || type->name != "application/sparql-update") {
    return http_error(415, ErrorKind::kInvalid, "PATCH takes application/sparql-update");
  }
  WEFT_TRY(engine::UpdateOptions options, update_options(exchange));
  options.target_graph = graph.value_or("");
  WEFT_TRY(const std::string text, body_text(exchange, kOperationBytesMax));
  const Result<engine::UpdateReceipt> receipt = run_update(exchange, text, options);
  if (!receipt.ok()) {
    return as_precondition(receipt.error(), options.if_tag.has_value());
  }
  send_receipt(exchange, *receipt, 200, "");
  return ok_status();
}

}  // namespace weft::server
