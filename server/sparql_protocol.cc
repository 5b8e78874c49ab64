#include "server/sparql_protocol.h"

#include "weft/rdf/term.h"

namespace weft::server {
namespace {

constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kQueryType = "application/sparql-query";
constexpr std::string_view kUpdateType = "application/sparql-update";

Error bad_request(std::string_view message) {
  return http_error(400, ErrorKind::kInvalid, message);
}

Status add_graph(std::vector<std::string>& graphs, const Parameter& parameter) {
  if (!is_absolute_iri(parameter.value)) {
    return bad_request("a graph is named by an absolute IRI").with(parameter.name, parameter.value);
  }
  graphs.push_back(parameter.value);
  return ok_status();
}

// Parameters in the order in which they are taken.
struct Parts {
  std::optional<std::string> query;
  std::optional<std::string> update;
  bool query_graphs = false;
  bool update_graphs = false;
};

Status take_parameters(const std::vector<Parameter>& parameters, SparqlRequest& request,
                       Parts& parts) {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == "query" || parameter.name == "update") {
      std::optional<std::string>& text = parameter.name == "query" ? parts.query : parts.update;
      if (text.has_value()) {
        return bad_request("more than one " + parameter.name);
      }
      text = parameter.value;
    } else if (parameter.name == "default-graph-uri") {
      WEFT_TRY_STATUS(add_graph(request.graphs, parameter));
      parts.query_graphs = true;
    } else if (parameter.name == "named-graph-uri") {
      WEFT_TRY_STATUS(add_graph(request.named_graphs, parameter));
      parts.query_graphs = true;
    } else if (parameter.name == "using-graph-uri") {
      WEFT_TRY_STATUS(add_graph(request.graphs, parameter));
      parts.update_graphs = true;
    } else if (parameter.name == "using-named-graph-uri") {
      WEFT_TRY_STATUS(add_graph(request.named_graphs, parameter));
      parts.update_graphs = true;
    } else if (parameter.name == "format" || parameter.name == "output") {
      request.format = parameter.value;
    } else if (parameter.name == "timeout") {
      request.timeout = parameter.value;
    }  // clients send others, which mean nothing here
  }
  return ok_status();
}

}  // namespace

Error http_error(unsigned status, ErrorKind kind, std::string_view message) {
  return Error(kind, std::string(message)).with("http_status", uint64_t{status});
}

bool is_form(const RequestHead& head) {
  const std::optional<MediaType> type = parse_media_type(head.value("Content-Type"));
  return type.has_value() && type->name == kForm;
}

bool form_updates(std::string_view start) {
  return start.starts_with("update=") || start.contains("&update=");
}

Status check_sparql_head(const RequestHead& head, Operations operations) {
  if (head.method == Method::kGet || head.method == Method::kHead) {
    if (operations == Operations::kUpdate) {
      return http_error(405, ErrorKind::kInvalid, "an update is sent with POST");
    }
    return ok_status();
  }
  if (head.method != Method::kPost) {
    return http_error(405, ErrorKind::kInvalid, "take GET or POST")
        .with("method", head.method_name);
  }
  const std::string value = head.value("Content-Type");
  const std::optional<MediaType> type = parse_media_type(value);
  const bool known =
      type.has_value() &&
      (type->name == kForm || (type->name == kQueryType && operations != Operations::kUpdate) ||
       (type->name == kUpdateType && operations != Operations::kQuery));
  if (!known) {
    return http_error(415, ErrorKind::kInvalid,
                      "take application/sparql-query, application/sparql-update or "
                      "application/x-www-form-urlencoded")
        .with("content_type", value);
  }
  const std::string* const charset = type->parameter("charset");
  if (charset != nullptr && !equals_without_case(*charset, "utf-8") &&
      !equals_without_case(*charset, "us-ascii")) {
    return http_error(415, ErrorKind::kInvalid, "the charset must be UTF-8")
        .with("charset", *charset);
  }
  return ok_status();
}

Result<SparqlRequest> parse_sparql_request(const RequestHead& head, Operations operations,
                                           std::string body) {
  SparqlRequest request;
  Parts parts;
  WEFT_TRY(const std::vector<Parameter> in_target, parse_form(head.query));
  WEFT_TRY_STATUS(take_parameters(in_target, request, parts));
  if (head.method == Method::kPost) {
    const std::optional<MediaType> type = parse_media_type(head.value("Content-Type"));
    if (type.has_value() && type->name == kForm) {
      WEFT_TRY(const std::vector<Parameter> in_body, parse_form(body));
      WEFT_TRY_STATUS(take_parameters(in_body, request, parts));
    } else {
      if (parts.query.has_value() || parts.update.has_value()) {
        return bad_request("the operation stands both in the URL and in the body");
      }
      if (!rdf::is_valid_utf8(body)) {
        return bad_request("the body is not UTF-8");
      }
      (type.has_value() && type->name == kUpdateType ? parts.update : parts.query) =
          std::move(body);
    }
    if (!parts.query.has_value() && !parts.update.has_value()) {
      return bad_request("there is neither a query nor an update");
    }
  } else if (parts.update.has_value()) {
    return bad_request("an update is sent with POST");
  }
  if (parts.query.has_value() && parts.update.has_value()) {
    return bad_request("there are both a query and an update");
  }
  if ((parts.query.has_value() && operations == Operations::kUpdate) ||
      (parts.update.has_value() && operations == Operations::kQuery)) {
    return bad_request("this endpoint does not take that operation");
  }
  if ((parts.query.has_value() && parts.update_graphs) ||
      (parts.update.has_value() && parts.query_graphs)) {
    return bad_request(
        "a query takes default-graph-uri and named-graph-uri, an update using-graph-uri and "
        "using-named-graph-uri");
  }
  if (parts.query.has_value()) {
    request.kind = SparqlRequest::Kind::kQuery;
    request.text = std::move(*parts.query);
  } else if (parts.update.has_value()) {
    request.kind = SparqlRequest::Kind::kUpdate;
    request.text = std::move(*parts.update);
  }
  return request;
}

}  // namespace weft::server
