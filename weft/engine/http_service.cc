#include "weft/engine/http_service.h"

#include <algorithm>
#include <utility>

#include "weft/results/read_answer.h"

namespace weft::engine {
namespace {

constexpr int64_t kMicrosecondsPerMs = 1'000;
// What an answer takes once it is read, in times its own length, and at least: tokens, their
// strings, the document.
constexpr uint64_t kReadingFactor = 4;

class HttpService final : public exec::ServiceClient {
 public:
  HttpService(HttpClientSource client, const base::Clock& clock, ServiceCallOptions options)
      : client_(std::move(client)),
        clock_(clock),
        options_(std::move(options)),
        begin_(clock.monotonic_microseconds()) {}

  Result<exec::ServiceAnswer> select(std::string_view endpoint, const std::string& query,
                                     base::MemoryBudget& budget, std::stop_token stop) override {
    if (!options_.reach.contains(endpoint)) {
      return Error(ErrorKind::kDenied,
                   "SERVICE of this endpoint is not allowed; see "
                   "--allow-service")
          .with("endpoint", endpoint);
    }
    if (!remote::is_url(endpoint)) {
      return Error(ErrorKind::kUnsupported, "SERVICE takes http: and https: endpoints")
          .with("endpoint", endpoint);
    }
    remote::Question question;
    question.url = endpoint.substr(0, endpoint.find('#'));
    question.body = query;
    question.content_type = "application/sparql-query";
    question.accept = "application/sparql-results+json, application/sparql-results+xml;q=0.9";
    if (!options_.via.empty()) {
      question.fields.push_back(std::string(kViaField) + ": " + options_.via);
    }
    WEFT_TRY(question.timeout_ms, time_left(endpoint));
    const uint64_t free_bytes =
        budget.limit_bytes() - std::min(budget.limit_bytes(), budget.used_bytes());
    question.answer_bytes_max =
        std::min(options_.answer_bytes_max, free_bytes / (kReadingFactor + 1));
    WEFT_TRY(remote::HttpClient* const client, client_());
    Result<remote::Reply> reply = client->ask(question, std::move(stop));
    if (!reply.ok()) {
      Error error = std::move(reply).error();
      error.add("endpoint", endpoint);
      return error;
    }
    WEFT_TRY(const base::Reservation reserved,
             budget.reserve(reply->body.size() * (kReadingFactor + 1)));
    Result<exec::ServiceAnswer> answer =
        results::read_answer(reply->content_type, as_text(reply->body));
    if (!answer.ok()) {
      Error error = std::move(answer).error();
      error.add("endpoint", endpoint);
      return error;
    }
    return answer;
  }

 private:
  Result<uint64_t> time_left(std::string_view endpoint) const {
    if (options_.timeout_ms == 0) {
      return uint64_t{0};
    }
    const int64_t used = (clock_.monotonic_microseconds() - begin_) / kMicrosecondsPerMs;
    const auto used_ms = static_cast<uint64_t>(std::max<int64_t>(used, 0));
    if (used_ms >= options_.timeout_ms) {
      return Error(ErrorKind::kLimit, "no time is left to ask an endpoint")
          .with("endpoint", endpoint)
          .with("timeout_ms", options_.timeout_ms);
    }
    return options_.timeout_ms - used_ms;
  }

  const HttpClientSource client_;
  const base::Clock& clock_;
  const ServiceCallOptions options_;
  const int64_t begin_;
};

}  // namespace

std::unique_ptr<exec::ServiceClient> make_http_service(HttpClientSource client,
                                                       const base::Clock& clock,
                                                       ServiceCallOptions options) {
  return std::make_unique<HttpService>(std::move(client), clock, std::move(options));
}

}  // namespace weft::engine
