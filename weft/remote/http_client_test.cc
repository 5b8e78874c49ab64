#include "weft/remote/http_client.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <unistd.h>

#include "weft/base/random.h"
#include "weft/remote/content_range.h"
#include "weft/remote/testing/test_server.h"
#include "weft/remote/transfers.h"

namespace weft::remote {
namespace {

using storage::Range;
using testing::HasSubstr;

std::string content_of(size_t size) {
  base::Random random(size);
  std::string content(size, '\0');
  for (char& letter : content) {
    letter = static_cast<char>('a' + random.below(26));
  }
  return content;
}

HttpOptions quick() {
  HttpOptions options;
  options.backoff_ms = 1;
  options.request_timeout_ms = 5'000;
  return options;
}

std::unique_ptr<HttpClient> client_with(const HttpOptions& options) {
  return HttpClient::create(options).value();
}

std::string ranges_asked(const TestServer& server) {
  std::string text;
  for (const ServerRequest& request : server.requests()) {
    text += request.header("range") + " ";
  }
  return text;
}

const std::string kContent = content_of(1'000'000);

TEST(HttpClient, OpeningCostsOneRequestAndItsBytesStay) {
  TestServer server([](const ServerRequest& r) { return serve_object(r, kContent, "\"v1\""); });
  const auto client = client_with(quick());
  const auto reader = client->open_url(server.url("/a.rete")).value();
  EXPECT_EQ(reader->size(), 1'000'000U);
  EXPECT_TRUE(reader->is_remote());
  EXPECT_EQ(reader->identity(), "url:" + server.url("/a.rete") + "#\"v1\"");
  EXPECT_EQ(to_text(reader->read({100, 50'000}).value().view()), kContent.substr(100, 50'000));
  EXPECT_EQ(ranges_asked(server), "bytes=0-131071 ");
  EXPECT_EQ(client->counters().rounds, 1U);
}

TEST(HttpClient, ManyRangesAreOneRoundAndNeighboursOneRequest) {
  TestServer server([](const ServerRequest& r) { return serve_object(r, kContent, "\"v1\""); });
  const auto client = client_with(quick());
  const auto reader = client->open_url(server.url("/a")).value();
  // Blocks 2, 3 and 5 (a gap of one block) are one request; 9 another; 15 is the short last one.
  const std::vector<Range> ranges = {{200'000, 10}, {140'000, 10}, {330'000, 5},
                                     {600'000, 7},  {999'990, 10}, {500, 0}};
  const auto answers = reader->read_many(ranges).value();
  for (size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(to_text(answers[i].view()), kContent.substr(ranges[i].offset, ranges[i].size));
  }
  EXPECT_EQ(client->counters().requests, 4U);
  EXPECT_EQ(client->counters().rounds, 2U);
  std::vector<std::string> asked;
  for (const ServerRequest& request : server.requests()) {
    asked.push_back(request.header("range"));
    EXPECT_EQ(request.header("if-range"), asked.size() == 1 ? "" : "\"v1\"");
  }
  EXPECT_THAT(asked, testing::UnorderedElementsAre("bytes=0-131071", "bytes=131072-393215",
                                                   "bytes=589824-655359", "bytes=983040-999999"));
  ASSERT_TRUE(reader->read_many(ranges).ok());
  EXPECT_EQ(client->counters().requests, 4U);
}

TEST(HttpClient, HintsOfManyReadersShareARound) {
  TestServer server([](const ServerRequest& r) {
    ServerResponse response = serve_object(r, kContent, "\"v1\"");
    response.delay_ms = 30;
    return response;
  });
  HttpOptions options = quick();
  options.requests_in_flight_max = 16;
  const auto client = client_with(options);
  std::vector<std::string> urls;
  for (int i = 0; i < 10; ++i) {
    urls.push_back(server.url("/" + std::to_string(i)));
  }
  client->prefetch(urls);
  std::vector<std::unique_ptr<storage::ObjectReader>> readers;
  for (const std::string& url : urls) {
    readers.push_back(client->open_url(url).value());
  }
  EXPECT_EQ(client->counters().rounds, 1U);
  for (const auto& reader : readers) {
    reader->prefetch({{300'000, 100}, {700'000, 100}});
    reader->prefetch({{300'000, 100}});
  }
  for (const auto& reader : readers) {
    EXPECT_EQ(to_text(reader->read({300'000, 100}).value().view()), kContent.substr(300'000, 100));
    EXPECT_EQ(to_text(reader->read({700'000, 100}).value().view()), kContent.substr(700'000, 100));
  }
  EXPECT_EQ(client->counters().rounds, 2U);
  EXPECT_EQ(client->counters().requests, 30U);
  EXPECT_GT(server.together_max(), 4);
  EXPECT_LE(server.together_max(), 16);
}

TEST(HttpClient, HintsThatAreNeverReadDoNoHarm) {
  TestServer server([](const ServerRequest& r) { return serve_object(r, kContent, "\"v1\""); });
  const auto client = client_with(quick());
  client->prefetch({server.url("/x"), "nonsense"});
  const auto reader = client->open_url(server.url("/a")).value();
  reader->prefetch({{300'000, 100}, {2'000'000, 1}});
  reader->prefetch({{300'000, 100}});
}

TEST(HttpClient, LongRangesGoInPieces) {
  TestServer server([](const ServerRequest& r) { return serve_object(r, kContent, "\"v1\""); });
  HttpOptions options = quick();
  options.request_bytes_max = 100'000;
  options.cache_bytes_max = 1'000'000;
  const auto client = client_with(options);
  const auto reader = client->open_url(server.url("/a")).value();
  EXPECT_TRUE(to_text(reader->read({0, 1'000'000}).value().view()) == kContent);
  EXPECT_EQ(client->counters().requests, 11U);
  EXPECT_EQ(client->counters().rounds, 2U);
}

TEST(HttpClient, TheCacheKeepsItsBudget) {
  TestServer server([](const ServerRequest& r) { return serve_object(r, kContent, "\"v1\""); });
  HttpOptions options = quick();
  options.cache_bytes_max = 256 << 10;
  const auto client = client_with(options);
  const auto reader = client->open_url(server.url("/a")).value();
  for (uint64_t at = 0; at < 15; ++at) {
    ASSERT_TRUE(reader->read({at * 65'536, 1}).ok());
  }
  // The first request brought two blocks.
  EXPECT_EQ(client->counters().requests, 14U);
  ASSERT_TRUE(reader->read({14 * 65'536, 100}).ok());
  EXPECT_EQ(client->counters().requests, 14U);
  ASSERT_TRUE(reader->read({0, 1}).ok());  // left long ago
  EXPECT_EQ(client->counters().requests, 15U);
}

TEST(HttpClient, ServersInTroubleAreAskedAgain) {
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    TestServer server([status](const ServerRequest& r) {
      if (r.number % 3 != 2) {
        ServerResponse response;
        response.status = status;
        response.body = "please wait";
        return response;
      }
      return serve_object(r, kContent, "\"v1\"");
    });
    const auto client = client_with(quick());
    const auto reader = client->open_url(server.url("/a")).value();
    EXPECT_EQ(to_text(reader->read({500'000, 3}).value().view()), kContent.substr(500'000, 3));
    EXPECT_EQ(client->counters().requests, 6U);
    EXPECT_EQ(client->counters().retries, 4U);
  }
}

TEST(HttpClient, ButNotForEver) {
  TestServer server([](const ServerRequest&) {
    ServerResponse response;
    response.status = 503;
    return response;
  });
  HttpOptions options = quick();
  options.attempts_max = 3;
  const auto client = client_with(options);
  const Error error = client->open_url(server.url("/a")).error();
  EXPECT_EQ(error.kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(error.fact("status"), "503");
  EXPECT_EQ(error.fact("attempts"), "3");
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(HttpClient, BrokenConnectionsAreTriedAgain) {
  TestServer server([](const ServerRequest& r) {
    ServerResponse response = serve_object(r, kContent, "\"v1\"");
    response.hang_up = r.number == 0;
    if (r.number == 2) {
      response.cut_after = 1'000;
    }
    return response;
  });
  const auto client = client_with(quick());
  const auto reader = client->open_url(server.url("/a")).value();
  EXPECT_EQ(to_text(reader->read({500'000, 3}).value().view()), kContent.substr(500'000, 3));
  EXPECT_GE(client->counters().retries, 1U);
  EXPECT_EQ(server.requests().size(), 4U);
}

struct Status {
  int status;
  ErrorKind kind;
};

TEST(HttpClient, RefusalsAreSortedByWhatToDo) {
  for (const Status& expected : {Status{404, ErrorKind::kNotFound},
                                 {410, ErrorKind::kNotFound},
                                 {401, ErrorKind::kDenied},
                                 {403, ErrorKind::kDenied},
                                 {400, ErrorKind::kInvalid},
                                 {501, ErrorKind::kUnsupported},
                                 {505, ErrorKind::kUnsupported},
                                 {204, ErrorKind::kInvalid}}) {
    TestServer server([&](const ServerRequest&) {
      ServerResponse response;
      response.status = expected.status;
      return response;
    });
    const auto client = client_with(quick());
    const Error error = client->open_url(server.url("/x/missing")).error();
    EXPECT_EQ(error.kind(), expected.kind) << expected.status;
    EXPECT_THAT(error.to_string(), HasSubstr("/x/missing"));
    EXPECT_EQ(server.requests().size(), 1U);
  }
}

TEST(HttpClient, NobodyListeningIsUnavailable) {
  std::string url;
  {
    TestServer server([](const ServerRequest&) { return ServerResponse(); });
    url = server.url("/a");
  }
  const auto client = client_with(quick());
  const Error error = client->open_url(url).error();
  EXPECT_EQ(error.kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(error.fact("attempts"), "4");
}

TEST(HttpClient, AnObjectThatChangedIsNeverMixed) {
  // With If-Range (a whole answer), without (another ETag or size in the partial one), by 412.
  for (int way = 0; way < 5; ++way) {
    SCOPED_TRACE(way);
    std::atomic<bool> changed = false;
    const std::string other = content_of(way == 3 ? 900'000 : 999'999);
    TestServer server([&](const ServerRequest& r) {
      ServerRequest request = r;
      if (way > 0) {
        request.headers.erase("if-range");
      }
      if (!changed) {
        return serve_object(request, kContent, way == 3 ? "" : "\"v1\"");
      }
      if (way == 4) {
        ServerResponse response;
        response.status = 412;
        return response;
      }
      return serve_object(request, way == 1 ? kContent : other, way == 3 ? "" : "\"v2\"");
    });
    const auto client = client_with(quick());
    const auto reader = client->open_url(server.url("/a")).value();
    ASSERT_TRUE(reader->read({300'000, 10}).ok());
    changed = true;
    const Error error = reader->read({700'000, 10}).error();
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(error.fact("reason"), "changed");
    EXPECT_EQ(to_text(reader->read({300'000, 10}).value().view()), kContent.substr(300'000, 10));
  }
}

TEST(HttpClient, WrongContentRangesAreRefused) {
  for (const char* wrong :
       {"bytes 300001-365535/1000000", "bytes 0-131071/1000000", "pages 1-2/3",
        "bytes 262144-327679/*", "", "bytes 262144-327678/1000000", "bytes 262144-327679/999999"}) {
    SCOPED_TRACE(wrong);
    TestServer server([&](const ServerRequest& r) {
      ServerResponse response = serve_object(r, kContent, "\"v1\"");
      if (r.number > 0) {
        response.headers.back().second = wrong;
      }
      return response;
    });
    const auto client = client_with(quick());
    const auto reader = client->open_url(server.url("/a")).value();
    const auto read = reader->read({262'144, 10});
    if (std::string_view(wrong).ends_with("/*")) {
      EXPECT_TRUE(read.ok());  // allowed: the length is known already
    } else {
      EXPECT_EQ(read.error().kind(), ErrorKind::kCorrupt);
    }
  }
}

TEST(HttpClient, BodiesOfAnotherLengthAreRefused) {
  for (const int difference : {-1, 1}) {
    TestServer server([&](const ServerRequest& r) {
      ServerResponse response = serve_object(r, kContent, "\"v1\"");
      if (r.number > 0) {
        response.body.resize(response.body.size() + static_cast<size_t>(difference));
        response.with_content_length = false;
      }
      return response;
    });
    const auto client = client_with(quick());
    const auto reader = client->open_url(server.url("/a")).value();
    EXPECT_EQ(reader->read({262'144, 10}).error().kind(), ErrorKind::kCorrupt);
  }
}

TEST(HttpClient, ServersThatIgnoreRangesAreReadWholeUpToALimit) {
  TestServer server([](const ServerRequest&) {
    ServerResponse response;
    response.body = kContent;
    return response;
  });
  HttpOptions options = quick();
  options.whole_object_bytes_max = 1'000'000;
  const auto reader = client_with(options)->open_url(server.url("/a")).value();
  EXPECT_EQ(to_text(reader->read({500'000, 3}).value().view()), kContent.substr(500'000, 3));
  EXPECT_EQ(server.requests().size(), 1U);
  options.whole_object_bytes_max = 999'999;
  const Error error = client_with(options)->open_url(server.url("/a")).error();
  EXPECT_EQ(error.kind(), ErrorKind::kLimit);
  EXPECT_EQ(error.fact("whole_object_bytes_max"), "999999");
}

TEST(HttpClient, ALimitHoldsWithoutAContentLengthToo) {
  TestServer server([](const ServerRequest&) {
    ServerResponse response;
    response.body = kContent;
    response.with_content_length = false;
    return response;
  });
  HttpOptions options = quick();
  options.whole_object_bytes_max = 999'999;
  EXPECT_EQ(client_with(options)->open_url(server.url("/a")).error().kind(), ErrorKind::kLimit);
  options.whole_object_bytes_max = 1'000'000;
  EXPECT_EQ(client_with(options)->open_url(server.url("/a")).value()->size(), 1'000'000U);
}

TEST(HttpClient, ServersThatStopAnsweringByRangeAreNamed) {
  TestServer server([](const ServerRequest& r) {
    ServerRequest request = r;
    if (r.number > 0) {
      request.headers.erase("range");
    }
    return serve_object(request, kContent, "\"v1\"");
  });
  const auto client = client_with(quick());
  const auto reader = client->open_url(server.url("/a")).value();
  EXPECT_EQ(reader->read({262'144, 10}).error().kind(), ErrorKind::kUnsupported);
}

TEST(HttpClient, SmallAndEmptyObjects) {
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{131'071}, size_t{131'072}, size_t{131'073}}) {
    const std::string content = content_of(size);
    TestServer server([&](const ServerRequest& r) { return serve_object(r, content, "\"e\""); });
    const auto client = client_with(quick());
    const auto reader = client->open_url(server.url("/a")).value();
    EXPECT_EQ(reader->size(), size);
    EXPECT_TRUE(to_text(reader->read({0, size}).value().view()) == content);
    EXPECT_EQ(client->counters().requests, size > 131'072 ? 2U : 1U);
  }
}

TEST(HttpClient, WeakETagsAreComparedButNotSent) {
  TestServer server([](const ServerRequest& r) { return serve_object(r, kContent, "W/\"w\""); });
  const auto client = client_with(quick());
  const auto reader = client->open_url(server.url("/a")).value();
  EXPECT_EQ(reader->identity(), "");
  ASSERT_TRUE(reader->read({500'000, 3}).ok());
  EXPECT_EQ(server.requests().back().header("if-range"), "");
}

TEST(HttpClient, EncodedBytesAreRefused) {
  TestServer server([](const ServerRequest& r) {
    ServerResponse response = serve_object(r, kContent, "\"v1\"");
    response.headers.emplace_back("Content-Encoding", "gzip");
    return response;
  });
  const Error error = client_with(quick())->open_url(server.url("/a")).error();
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(server.requests().front().header("accept-encoding"), "identity");
}

TEST(HttpClient, RedirectsAreFollowedUpToABound) {
  TestServer server([](const ServerRequest& r) {
    const int step = std::stoi(r.path.substr(1));
    if (step == 0) {
      return serve_object(r, kContent, "\"v1\"");
    }
    ServerResponse response;
    response.status = 302;
    response.headers.emplace_back("Location", "/" + std::to_string(step - 1));
    return response;
  });
  const auto client = client_with(quick());
  EXPECT_EQ(client->open_url(server.url("/5")).value()->size(), 1'000'000U);
  const Error error = client->open_url(server.url("/6")).error();
  EXPECT_EQ(error.kind(), ErrorKind::kLimit);
  EXPECT_EQ(error.fact("reason"), "redirects_max");
}

TEST(HttpClient, OnlyHttpIsSpokenAlsoAfterARedirect) {
  TestServer server([](const ServerRequest&) {
    ServerResponse response;
    response.status = 302;
    response.headers.emplace_back("Location", "file:///etc/passwd");
    return response;
  });
  const auto client = client_with(quick());
  EXPECT_EQ(client->open_url(server.url("/a")).error().kind(), ErrorKind::kInvalid);
  for (const char* url : {"file:///etc/passwd", "ftp://x/y", "a.rete", "http:/x", "", "http://"}) {
    EXPECT_EQ(client->open_url(url).error().kind(), ErrorKind::kInvalid) << url;
  }
}

TEST(HttpClient, SlowServersRunIntoTheTimeout) {
  TestServer server([](const ServerRequest& r) {
    ServerResponse response = serve_object(r, kContent, "\"v1\"");
    response.delay_ms = 400;
    return response;
  });
  HttpOptions options = quick();
  options.request_timeout_ms = 50;
  options.attempts_max = 2;
  const Error error = client_with(options)->open_url(server.url("/a")).error();
  EXPECT_EQ(error.kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(error.fact("reason"), "timeout");
  EXPECT_EQ(error.fact("attempts"), "2");
}

TEST(HttpClient, AQuestionIsPostedWithItsFields) {
  TestServer server([](const ServerRequest& r) {
    ServerResponse response;
    response.headers.emplace_back("Content-Type", "text/plain");
    response.body = r.header("content-type") + "|" + r.header("accept") + "|" +
                    r.header("weft-via") + "|" + r.header("expect") + "|" + r.body;
    return response;
  });
  const auto client = client_with(quick());
  Question question;
  question.url = server.url("/query");
  question.body = "ASK {}" + std::string(5'000, ' ');
  question.content_type = "application/sparql-query";
  question.accept = "a/b";
  question.fields = {"Weft-Via: x"};
  const Reply reply = client->ask(question).value();
  EXPECT_EQ(reply.content_type, "text/plain");
  EXPECT_EQ(to_text(reply.body), "application/sparql-query|a/b|x||" + question.body);
  question.body.clear();
  EXPECT_EQ(to_text(client->ask(question).value().body), "|a/b|x||");
}

TEST(HttpClient, AnswersToQuestionsHaveALimit) {
  TestServer server([](const ServerRequest& r) {
    ServerResponse response;
    response.body = std::string(1'000, 'x');
    response.with_content_length = r.path == "/stated";
    return response;
  });
  const auto client = client_with(quick());
  for (const char* const path : {"/stated", "/not"}) {
    Question question;
    question.url = server.url(path);
    question.answer_bytes_max = 1'000;
    EXPECT_EQ(client->ask(question).value().body.size(), 1'000U) << path;
    question.answer_bytes_max = 999;
    EXPECT_EQ(client->ask(question).error().kind(), ErrorKind::kLimit) << path;
  }
}

TEST(HttpClient, TheTimeOfAQuestionIsThatOfAllItsAttempts) {
  constexpr int kLongMs = 3'000;
  std::atomic<int> delay_ms = kLongMs;
  TestServer server([&](const ServerRequest&) {
    ServerResponse response;
    response.delay_ms = delay_ms;
    return response;
  });
  const auto client = client_with(quick());
  Question question;
  question.url = server.url("/");
  question.timeout_ms = 100;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(client->ask(question).error().fact("reason"), "timeout");
  // Far less than the answer takes; how much is the machine's matter.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(kLongMs));
  EXPECT_EQ(server.requests().size(), 1U);
  delay_ms = 200;
  question.timeout_ms = 60'000;
  EXPECT_TRUE(client->ask(question).ok());
}

TEST(HttpClient, WhatAServerSaysAboutAQuestionIsInTheError) {
  TestServer server([](const ServerRequest&) {
    ServerResponse response;
    response.status = 400;
    response.body = "no such word: SELEKT" + std::string(2'000, '.');
    return response;
  });
  const auto client = client_with(quick());
  Question question;
  question.url = server.url("/");
  const Error error = client->ask(question).error();
  EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
  EXPECT_EQ(error.fact("answer").size(), 500U);
  EXPECT_THAT(std::string(error.fact("answer")), HasSubstr("SELEKT"));
}

TEST(HttpClientThreads, StopsWhileItWaits) {
  TestServer server([](const ServerRequest& r) {
    ServerResponse response = serve_object(r, kContent, "\"v1\"");
    response.delay_ms = 1'000;
    return response;
  });
  const auto client = client_with(quick());
  std::stop_source stop;
  std::jthread stopper([&] {
    ::usleep(50'000);
    stop.request_stop();
  });
  EXPECT_EQ(client->open_url(server.url("/a"), stop.get_token()).error().kind(),
            ErrorKind::kCancelled);
  EXPECT_EQ(client->open_url(server.url("/a"), stop.get_token()).error().kind(),
            ErrorKind::kCancelled);
}

TEST(HttpClientThreads, ManyThreadsReadOneObject) {
  TestServer server([](const ServerRequest& r) {
    ServerResponse response = serve_object(r, kContent, "\"v1\"");
    response.delay_ms = static_cast<int>(r.number % 5);
    response.hang_up = r.number % 11 == 7;
    return response;
  });
  HttpOptions options = quick();
  options.cache_bytes_max = 600'000;
  options.attempts_max = 8;
  const auto client = client_with(options);
  const auto reader = client->open_url(server.url("/a")).value();
  std::vector<std::jthread> threads;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      base::Random random(seed);
      for (int i = 0; i < 60; ++i) {
        const uint64_t at = random.below(999'000);
        const Range range{at, random.below(std::min<uint64_t>(1'000'000 - at, 200'000))};
        if (random.chance(1, 3)) {
          reader->prefetch({range});
        }
        const auto read = reader->read(range);
        ASSERT_TRUE(read.ok()) << read.error().to_string();
        ASSERT_TRUE(to_text(read->view()) == kContent.substr(range.offset, range.size));
      }
    });
  }
}

TEST(HttpStore, ReadsBelowItsBaseAndNothingElse) {
  TestServer server([](const ServerRequest& r) { return serve_object(r, r.path, "\"v1\""); });
  const auto client = client_with(quick());
  const auto store = http_store(*client, server.url("/base"));
  EXPECT_EQ(to_text(store->get("a b/ü%.rete", 100).value().bytes.view()),
            "/base/a%20b/%C3%BC%25.rete");
  EXPECT_EQ(store->get("a", 100).value().etag.value, "\"v1\"");
  EXPECT_EQ(store->get("a", 6).error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(store->open("../a").error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(store->put_if_absent("a", {}).error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(store->list("").error().kind(), ErrorKind::kUnsupported);
  EXPECT_FALSE(store->capabilities().writable);
}

TEST(HttpClient, PasswordsStayOutOfMessages) {
  EXPECT_EQ(shown_url("https://user:secret@host/a?b@c"), "https://host/a?b@c");
  EXPECT_EQ(shown_url("https://host/a@b"), "https://host/a@b");
  EXPECT_EQ(shown_url("https://u@host"), "https://host");
}

TEST(ContentRange, IsParsedStrictly) {
  const auto range = parse_content_range("bytes 0-9/100").value();
  EXPECT_EQ(range.first, 0U);
  EXPECT_EQ(range.last, 9U);
  EXPECT_EQ(range.size, 100U);
  EXPECT_TRUE(parse_content_range("Bytes 1-1/*").has_value());
  EXPECT_EQ(parse_content_range("bytes */7")->size, 7U);
  for (const char* text :
       {"", "bytes", "bytes 0-9", "bytes 9-0/100", "bytes 0-100/100", "bytes */*", "bytes -1/2",
        "bytes 0-9/100 x", "bytes 0-99999999999999999999/*", "byte 0-9/100", "bytes0-9/100"}) {
    EXPECT_FALSE(parse_content_range(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace weft::remote
