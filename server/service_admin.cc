// Health, metrics, seal and compact, the query page.

#include "server/query_page.h"
#include "server/service_parts.h"

#include "weft/json/value.h"

namespace weft::server {

void Service::send_health(Exchange& exchange) {
  const engine::LiveFacts facts = graph_.facts();
  const bool good = !facts.broken.has_value();
  ResponseHead head = make_head(exchange, good ? 200 : 503);
  head.set("Content-Type", "application/json");
  head.set("Cache-Control", "no-store");
  std::string body = good ? "{\"status\":\"ok\"" : "{\"status\":\"broken\",\"reason\":";
  if (!good) {
    json::append_quoted(body, facts.broken->to_string());
  }
  body += ",\"writable\":";
  body += facts.writable && !options_.read_only ? "true" : "false";
  body += ",\"generation\":" + std::to_string(facts.generation) + "}\n";
  exchange.send(std::move(head), std::move(body));
}

void Service::send_metrics(Exchange& exchange) {
  const HttpServer* const server = server_;
  std::string text;
  metrics_.append(text, server == nullptr ? HttpCounters{} : server->counters(), graph_.facts(),
                  environment_.query_budget().used_bytes());
  ResponseHead head = make_head(exchange, 200);
  head.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  head.set("Cache-Control", "no-store");
  exchange.send(std::move(head), std::move(text));
}

void Service::send_page(Exchange& exchange) {
  ResponseHead head = make_head(exchange, 200);
  head.set("Content-Type", "text/html; charset=utf-8");
  head.set("Cache-Control", "no-cache");
  // Only what the page brings itself runs, and only this server is asked.
  head.set("Content-Security-Policy",
           "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  exchange.send(std::move(head), std::string(kQueryPage));
}

Status Service::handle_admin(Exchange& exchange, const Route& route) {
  const Result<engine::SealReceipt> receipt = route.place == Route::Place::kSeal
                                                  ? graph_.seal(exchange.stop())
                                                  : graph_.compact(exchange.stop());
  if (!receipt.ok()) {
    return receipt.error();
  }
  std::string body = receipt->sealed ? "{\"sealed\":true" : "{\"sealed\":false";
  body += ",\"generation\":" + std::to_string(receipt->generation);
  body += ",\"added_quads\":" + std::to_string(receipt->added_quads);
  body += ",\"deleted_quads\":" + std::to_string(receipt->deleted_quads) + ",\"files\":[";
  for (size_t i = 0; i < receipt->files.size(); ++i) {
    body += i == 0 ? "" : ",";
    json::append_quoted(body, receipt->files[i]);
  }
  ResponseHead head = make_head(exchange, 200);
  head.set("Content-Type", "application/json");
  exchange.send(std::move(head), body + "]}\n");
  return ok_status();
}

}  // namespace weft::server
