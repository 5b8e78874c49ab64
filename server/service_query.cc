// Queries, updates, and how their bodies are read.

#include <algorithm>
#include <array>

#include "server/fetched_documents.h"
#include "server/outward.h"
#include "server/service_parts.h"

#include "weft/codec/decompress.h"
#include "weft/exec/query.h"
#include "weft/rdf/term.h"
#include "weft/rdfio/write.h"
#include "weft/sparql/parser.h"
#include "weft/sparql/update.h"

namespace weft::server {
namespace {

// Whether `word` (in upper case) stands in the text, in any case; perhaps as a part of another one.
bool names_word(std::string_view text, std::string_view word) {
  const auto upper = [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  };
  return !std::ranges::search(text, word, {}, upper).empty();
}

// Functions that may give another answer over the same state: such answers are never "not
// modified".
bool is_repeatable(std::string_view text) {
  constexpr std::array<std::string_view, 5> kOthers = {"RAND", "NOW", "UUID", "BNODE", "SERVICE"};
  return std::ranges::none_of(kOthers, [&](auto word) { return names_word(text, word); });
}

std::vector<std::string> as_tokens(const std::vector<std::string>& iris) {
  std::vector<std::string> tokens;
  tokens.reserve(iris.size());
  for (const std::string& iri : iris) {
    tokens.push_back(rdf::make_iri(iri));
  }
  return tokens;
}

Status write_solutions(exec::PreparedQuery& query, results::ResultFormat format,
                       codec::OutputStream& output) {
  const auto writer = results::make_result_writer(format, output);
  if (query.form() == sparql::QueryForm::kAsk) {
    WEFT_TRY(const bool answer, query.ask());
    return writer->boolean(answer);
  }
  WEFT_TRY(const auto solutions, query.select());
  const Result<uint64_t> rows = results::write_solutions(*solutions, *writer);
  return rows.ok() ? ok_status() : Status(rows.error());
}

Status write_triples(exec::PreparedQuery& query, rdfio::Format format,
                     codec::OutputStream& output) {
  const auto writer = rdfio::make_quad_writer(format, output);
  WEFT_TRY_STATUS(query.construct(*writer));
  return writer->finish();
}

}  // namespace

// Beyond `max_bytes`, decompressed, it is kLimit.
Result<std::string> Service::body_text(Exchange& exchange, uint64_t max_bytes) const {
  std::unique_ptr<codec::InputStream> input = exchange.body();
  const std::string encoding = exchange.head().value("Content-Encoding");
  if (!encoding.empty() && !equals_without_case(encoding, "identity")) {
    WEFT_TRY(input, codec::decompress(std::move(input)));
  }
  std::string text;
  std::array<std::byte, 16'384> piece{};
  for (;;) {
    WEFT_TRY(const size_t count, input->read(piece));
    if (count == 0) {
      return text;
    }
    if (text.size() + count > max_bytes) {
      return Error(ErrorKind::kLimit, "the body of the request is too long")
          .with("limit", "operation bytes")
          .with("max_bytes", max_bytes);
    }
    text += as_text(ByteView(piece).first(count));
  }
}

Status Service::handle_sparql(Exchange& exchange, Operations operations) {
  std::string body;
  if (exchange.head().method == Method::kPost) {
    WEFT_TRY(body, body_text(exchange, kOperationBytesMax));
  }
  WEFT_TRY(const SparqlRequest request,
           parse_sparql_request(exchange.head(), operations, std::move(body)));
  switch (request.kind) {
    case SparqlRequest::Kind::kDescription:
      return answer_description(exchange);
    case SparqlRequest::Kind::kQuery: {
      const int64_t begin = environment_.clock().monotonic_microseconds();
      const Status status = answer_query(exchange, request);
      metrics_.count_query(environment_.clock().monotonic_microseconds() - begin, !status.ok());
      return status;
    }
    case SparqlRequest::Kind::kUpdate:
      // Of a form it is known only now that it writes.
      WEFT_TRY_STATUS(authorise(exchange.head(), Right::kWrite));
      WEFT_TRY_STATUS(check_origin(exchange.head()));
      if (options_.read_only) {
        return Error(ErrorKind::kDenied, "this server is read-only");
      }
      return answer_update(exchange, request);
  }
  std::unreachable();
}

Status Service::answer_query(Exchange& exchange, const SparqlRequest& request) {
  const RequestHead& head = exchange.head();
  sparql::ParseOptions parse;
  parse.base_iri = own_url(head) + head.path;
  WEFT_TRY(sparql::Query query, sparql::parse_query(request.text, parse));
  if (!request.graphs.empty() || !request.named_graphs.empty()) {
    query.default_graphs = as_tokens(request.graphs);
    query.named_graphs = as_tokens(request.named_graphs);
  }
  const bool rows =
      query.form == sparql::QueryForm::kSelect || query.form == sparql::QueryForm::kAsk;
  ResultOffer result_offer{};
  GraphOffer graph_offer{};
  if (rows) {
    WEFT_TRY(result_offer, choose_result_format(head, request.format));
  } else {
    WEFT_TRY(graph_offer, choose_graph_format(head, request.format, false));
  }
  WEFT_TRY(const uint64_t timeout, timeout_ms(head, request.timeout));
  const std::shared_ptr<engine::Snapshot> snapshot = graph_.snapshot();
  const std::string_view format = rows ? results::result_format_name(result_offer.format)
                                       : rdfio::format_name(graph_offer.format);
  const Coding coding = best_coding(head.value("Accept-Encoding"));
  ResponseHead answer = make_head(exchange, 200);
  add_state_fields(*snapshot, format, coding, answer);
  answer.set("Content-Type", rows ? result_offer.content_type : graph_offer.content_type);
  const bool reads = head.method == Method::kGet || head.method == Method::kHead;
  if (reads && is_known(head, entity_tag(snapshot->tag(), format, coding)) &&
      is_repeatable(request.text)) {
    answer.status = 304;
    exchange.send(std::move(answer), "");
    return ok_status();
  }
  base::MemoryBudget budget("query memory (--query-memory)", options_.query_memory_bytes);
  base::Random random = base::Random::from_system();
  exec::QueryOptions options;
  options.budget = &budget;
  options.executor = &environment_.executor();
  options.clock = &environment_.clock();
  options.random = &random;
  const auto services = outward_->services(head, timeout);
  options.services = services.get();
  options.stop = exchange.stop();
  options.timeout_ms = timeout;
  WEFT_TRY(const auto prepared, exec::prepare(std::move(query), snapshot->source(), options));
  if (head.method == Method::kHead) {
    exchange.send(std::move(answer), "");
    return ok_status();
  }
  AnswerStream stream(exchange, std::move(answer), coding);
  Status status = rows ? write_solutions(*prepared, result_offer.format, stream)
                       : write_triples(*prepared, graph_offer.format, stream);
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

Result<engine::UpdateOptions> Service::update_options(const Exchange& exchange) {
  const RequestHead& head = exchange.head();
  engine::UpdateOptions options;
  options.base_iri = own_url(head) + head.path;
  options.stop = exchange.stop();
  WEFT_TRY(options.timeout_ms, timeout_ms(head, {}));
  if (!head.has("If-Match")) {
    return options;
  }
  const EntityTags tags = parse_entity_tags(head.value("If-Match"));
  if (tags.any) {
    return options;
  }
  if (tags.strong.empty()) {
    return http_error(412, ErrorKind::kConflict, "If-Match names no state");
  }
  options.if_tag = std::string(state_of_entity_tag(tags.strong.front()));
  if (tags.strong.size() > 1) {  // whichever is the present one
    const std::shared_ptr<engine::Snapshot> snapshot = graph_.snapshot();
    for (const std::string& tag : tags.strong) {
      if (state_of_entity_tag(tag) == snapshot->tag()) {
        options.if_tag = snapshot->tag();
      }
    }
  }
  return options;
}

Error as_precondition(Error error, bool conditional) {
  if (conditional && error.kind() == ErrorKind::kConflict) {
    error.add("http_status", "412");
  }
  return error;
}

Result<engine::UpdateReceipt> Service::run_update(Exchange& exchange, const std::string& text,
                                                  engine::UpdateOptions& options) {
  const auto services = outward_->services(exchange.head(), options.timeout_ms);
  options.services = services.get();
  base::MemoryBudget budget("query memory (--query-memory)", options_.query_memory_bytes);
  options.budget = &budget;
  FetchedDocuments documents;
  if (names_word(text, "LOAD")) {
    sparql::ParseOptions parse;
    parse.base_iri = options.base_iri;
    WEFT_TRY(const sparql::Update request, sparql::parse_update(text, parse));
    WEFT_TRY_STATUS(documents.fetch(request, outward_->loader(), options_.spool_folder,
                                    options_.body_max_bytes * kExpansionMax, options.stop));
  }
  options.loader = documents.loader();
  Result<engine::UpdateReceipt> receipt = graph_.update(text, options);
  options.services = nullptr;
  options.budget = nullptr;
  options.loader = {};
  return receipt;
}

Status Service::answer_update(Exchange& exchange, const SparqlRequest& request) {
  const int64_t begin = environment_.clock().monotonic_microseconds();
  WEFT_TRY(engine::UpdateOptions options, update_options(exchange));
  if (request.timeout.has_value()) {
    WEFT_TRY(options.timeout_ms, timeout_ms(exchange.head(), request.timeout));
  }
  options.using_graphs = request.graphs;
  options.using_named_graphs = request.named_graphs;
  const Result<engine::UpdateReceipt> receipt = run_update(exchange, request.text, options);
  metrics_.count_update(environment_.clock().monotonic_microseconds() - begin, !receipt.ok());
  if (!receipt.ok()) {
    return as_precondition(receipt.error(), options.if_tag.has_value());
  }
  send_receipt(exchange, *receipt, 200, "");
  return ok_status();
}

void Service::send_receipt(Exchange& exchange, const engine::UpdateReceipt& receipt,
                           unsigned status, const std::string& location) {
  ResponseHead head = make_head(exchange, status);
  head.set("Content-Type", "application/json");
  head.set("ETag", "\"" + receipt.tag + "\"");
  head.set("Weft-Generation", std::to_string(receipt.generation));
  head.set("Weft-Sequence", std::to_string(receipt.sequence));
  if (!location.empty()) {
    head.set("Location", location);
  }
  exchange.send(std::move(head), "{\"inserted\":" + std::to_string(receipt.inserted) +
                                     ",\"removed\":" + std::to_string(receipt.removed) +
                                     ",\"generation\":" + std::to_string(receipt.generation) +
                                     ",\"sequence\":" + std::to_string(receipt.sequence) +
                                     ",\"tag\":\"" + receipt.tag + "\"}\n");
}

}  // namespace weft::server
