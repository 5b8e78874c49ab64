#include "weft/engine/http_service.h"

#include <array>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/engine/document_loader.h"
#include "weft/remote/testing/test_server.h"

namespace weft::engine {
namespace {

using remote::ServerRequest;
using remote::ServerResponse;
using remote::TestServer;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kAnswer =
    "{\"head\":{\"vars\":[\"x\"]},\"results\":{\"bindings\":[{\"x\":{\"type\":\"literal\","
    "\"value\":\"there\"}}]}}";

ServerResponse answer(std::string_view content_type, std::string_view body) {
  ServerResponse response;
  response.headers.emplace_back("Content-Type", content_type);
  response.body = body;
  return response;
}

class HttpServiceTest : public testing::Test {
 protected:
  HttpServiceTest()
      : server_([this](const ServerRequest& request) {
          return request.path == "/slow" ? late() : answer(content_type_, body_);
        }) {
    remote::HttpOptions options;
    options.attempts_max = 1;
    client_ = std::move(remote::HttpClient::create(options)).value();
    options_.reach.prefixes = {server_.url("/")};
  }

  static ServerResponse late() {
    ServerResponse response;
    response.delay_ms = 300;
    return response;
  }
  Result<exec::ServiceAnswer> ask(const std::string& endpoint) {
    const auto service = make_http_service(
        [this] { return Result<remote::HttpClient*>(client_.get()); }, clock_, options_);
    return service->select(endpoint, "SELECT * {}", budget_, {});
  }

  base::SystemClock clock_;
  std::string content_type_ = "application/sparql-results+json";
  std::string body_ = std::string(kAnswer);
  TestServer server_;
  std::unique_ptr<remote::HttpClient> client_;
  ServiceCallOptions options_;
  base::MemoryBudget budget_{"--memory", 10'000};
};

TEST_F(HttpServiceTest, AQueryIsPostedAndItsAnswerRead) {
  options_.via = "one, two";
  const auto found = ask(server_.url("/sparql#part"));
  ASSERT_TRUE(found.ok()) << found.error().to_string();
  ASSERT_EQ(found->rows.size(), 1U);
  EXPECT_THAT(found->rows[0], ElementsAre("\"there\""));
  const ServerRequest request = server_.requests().at(0);
  EXPECT_EQ(request.path, "/sparql");
  EXPECT_EQ(request.body, "SELECT * {}");
  EXPECT_EQ(request.header("content-type"), "application/sparql-query");
  EXPECT_EQ(request.header("weft-via"), "one, two");
  EXPECT_THAT(request.header("accept"), HasSubstr("sparql-results+xml"));
  EXPECT_EQ(budget_.used_bytes(), 0U);
}

TEST_F(HttpServiceTest, NobodyIsAskedBeyondTheReach) {
  EXPECT_EQ(ask("http://127.0.0.1:1/sparql").error().kind(), ErrorKind::kDenied);
  EXPECT_EQ(ask(server_.url("/../x")).error().kind(), ErrorKind::kDenied);
  options_.reach.anything = true;
  EXPECT_EQ(ask("file:///etc/passwd").error().kind(), ErrorKind::kUnsupported);
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(HttpServiceTest, AnAnswerFitsTheBudgetOrIsALimit) {
  body_ += std::string(2'000 - body_.size(), ' ');  // a fifth of the budget
  EXPECT_TRUE(ask(server_.url("/")).ok());
  body_ += " ";
  EXPECT_EQ(ask(server_.url("/")).error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(budget_.used_bytes(), 0U);
}

TEST_F(HttpServiceTest, WhatIsNoAnswerNamesTheEndpoint) {
  content_type_ = "text/html";
  const Error error = ask(server_.url("/page")).error();
  EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
  EXPECT_EQ(error.fact("endpoint"), server_.url("/page"));
}

TEST_F(HttpServiceTest, TheTimeIsThatOfAllQuestions) {
  options_.timeout_ms = 100;
  EXPECT_EQ(ask(server_.url("/slow")).error().kind(), ErrorKind::kUnavailable);
  const auto service = make_http_service(
      [this] { return Result<remote::HttpClient*>(client_.get()); }, clock_, options_);
  EXPECT_FALSE(service->select(server_.url("/slow"), "ASK {}", budget_, {}).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(service->select(server_.url("/"), "ASK {}", budget_, {}).error().kind(),
            ErrorKind::kLimit);
}

class DocumentLoaderTest : public testing::Test {
 protected:
  DocumentLoaderTest()
      : server_([](const ServerRequest& request) {
          if (request.path == "/x.nt") {
            return remote::serve_object(request, "<x:a> <x:b> <x:c> .\n", "\"1\"");
          }
          return answer(request.path == "/xml" ? "application/rdf+xml; charset=utf-8" : "text/html",
                        "text of " + request.header("accept").substr(0, 19));
        }),
        environment_(executor_, clock_, {}) {}

  Result<LoadedDocument> load(const std::string& iri) {
    LoadRules rules;
    rules.reach.prefixes = {server_.url("/")};
    return document_loader(environment_, rules)(iri, {});
  }

  TestServer server_;
  base::InlineExecutor executor_;
  base::SystemClock clock_;
  Environment environment_;
};

TEST_F(DocumentLoaderTest, TheNameTellsTheSyntaxOrTheMediaTypeDoes) {
  EXPECT_EQ(load(server_.url("/x.nt")).value().format, rdfio::Format::kNTriples);
  EXPECT_EQ(load(server_.url("/xml")).value().format, rdfio::Format::kRdfXml);
  const auto other = load(server_.url("/other"));
  EXPECT_EQ(other->format, rdfio::Format::kTurtle);
  std::string text;
  std::array<std::byte, 100> piece{};
  while (const size_t count = other->input->read(piece).value()) {
    text += as_text(ByteView(piece).first(count));
  }
  EXPECT_EQ(text, "text of application/n-quads");
  EXPECT_EQ(load("file:///etc/passwd").error().kind(), ErrorKind::kDenied);
}

}  // namespace
}  // namespace weft::engine
