#include "server/field_values.h"

#include <array>

#include "server/http_message.h"
#include "server/multipart.h"
#include "server/sparql_protocol.h"
#include "server/tokens.h"
#include <gmock/gmock.h>

namespace weft::server {
namespace {

using ::testing::ElementsAre;

constexpr std::array<std::string_view, 3> kOffers = {"application/json", "text/turtle", "text/csv"};

std::string choice(std::string_view accept) {
  const auto best = best_media_type(accept, kOffers);
  return best.has_value() ? std::string(kOffers[*best]) : "none";
}

TEST(Accept, TheHighestQualityWinsAndOfEqualOnesTheFirstOffer) {
  EXPECT_EQ(choice(""), "application/json");
  EXPECT_EQ(choice("*/*"), "application/json");
  EXPECT_EQ(choice("text/csv, text/turtle"), "text/turtle");
  EXPECT_EQ(choice("text/csv;q=0.9, text/turtle;q=0.8"), "text/csv");
  EXPECT_EQ(choice("text/*"), "text/turtle");
  EXPECT_EQ(choice("TEXT/CSV"), "text/csv");
  EXPECT_EQ(choice("text/html,application/xhtml+xml,*/*;q=0.1"), "application/json");
}

TEST(Accept, ThePreciseRangeDecidesOverTheWideOne) {
  EXPECT_EQ(choice("*/*, application/json;q=0"), "text/turtle");
  EXPECT_EQ(choice("text/*;q=0.9, text/turtle;q=0.1, */*;q=0"), "text/csv");
}

TEST(Accept, WhatIsRefusedIsNotGiven) {
  EXPECT_EQ(choice("image/png"), "none");
  EXPECT_EQ(choice("*/*;q=0"), "none");
}

TEST(Accept, WhatIsNoRangeIsIgnored) {
  EXPECT_EQ(choice(";;q=1,,"), "application/json");
  EXPECT_EQ(choice("text/csv;q=2"), "application/json");
  EXPECT_EQ(choice("text/csv;q=0.1234, text/turtle"), "text/turtle");
}

TEST(AcceptEncoding, ZstdComesBeforeGzipWhereBothAreLikedAlike) {
  EXPECT_EQ(best_coding(""), Coding::kIdentity);
  EXPECT_EQ(best_coding("gzip, deflate, br, zstd"), Coding::kZstd);
  EXPECT_EQ(best_coding("gzip, zstd;q=0.5"), Coding::kGzip);
  EXPECT_EQ(best_coding("gzip;q=0, identity"), Coding::kIdentity);
}

TEST(Range, OneRangeOfBytesIsTakenAndAllElseMeansTheWhole) {
  ByteRange range;
  EXPECT_EQ(parse_range("bytes=0-9", 100, range), RangeOutcome::kPart);
  EXPECT_EQ(range.last, 9U);
  EXPECT_EQ(parse_range("bytes=90-", 100, range), RangeOutcome::kPart);
  EXPECT_EQ(range.first, 90U);
  EXPECT_EQ(range.last, 99U);
  EXPECT_EQ(parse_range("bytes=-5", 100, range), RangeOutcome::kPart);
  EXPECT_EQ(range.first, 95U);
  EXPECT_EQ(parse_range("bytes=-500", 100, range), RangeOutcome::kPart);
  EXPECT_EQ(range.first, 0U);
  EXPECT_EQ(parse_range("bytes=99-99", 100, range), RangeOutcome::kPart);
  EXPECT_EQ(parse_range("bytes=100-", 100, range), RangeOutcome::kUnsatisfiable);
  EXPECT_EQ(parse_range("bytes=-0", 100, range), RangeOutcome::kUnsatisfiable);
  for (const char* text : {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-2",
                           "bytes=0-1,3-4", "rows=0-1", "bytes=99999999999999999999-"}) {
    EXPECT_EQ(parse_range(text, 100, range), RangeOutcome::kWhole) << text;
  }
}

TEST(EntityTags, WeakAndStrongOnesAreToldApart) {
  const EntityTags tags = parse_entity_tags(R"("a", W/"b", "c,d")");
  EXPECT_THAT(tags.strong, ElementsAre("a", "c,d"));
  EXPECT_THAT(tags.weak, ElementsAre("b"));
  EXPECT_FALSE(tags.any);
  EXPECT_TRUE(parse_entity_tags("*").any);
  EXPECT_TRUE(parse_entity_tags("a, \"").strong.empty());
}

TEST(Form, EscapesAndPlusAreResolvedAndDamageIsAnError) {
  const auto form = parse_form("a=1+2&b=%C3%A4%26&&c").value();
  ASSERT_EQ(form.size(), 3U);
  EXPECT_EQ(form[0].value, "1 2");
  EXPECT_EQ(form[1].value, "\xC3\xA4&");
  EXPECT_EQ(form[2].name, "c");
  for (const char* text : {"a=%", "a=%4", "a=%zz", "a=%ff"}) {
    EXPECT_EQ(parse_form(text).error().kind(), ErrorKind::kInvalid) << text;
  }
}

TEST(Form, TheNumberOfParametersIsLimited) {
  std::string text;
  for (size_t i = 0; i < kFormParametersMax; ++i) {
    text += "a&";
  }
  EXPECT_EQ(parse_form(text).value().size(), kFormParametersMax);
  EXPECT_EQ(parse_form(text + "a").error().kind(), ErrorKind::kLimit);
}

TEST(MediaType, ParametersAreUnquoted) {
  const auto type = parse_media_type("Multipart/Form-Data; boundary=\"a;b\"; x=y").value();
  EXPECT_EQ(type.name, "multipart/form-data");
  EXPECT_EQ(*type.parameter("boundary"), "a;b");
  EXPECT_EQ(type.parameter("y"), nullptr);
  EXPECT_FALSE(parse_media_type("text").has_value());
  EXPECT_FALSE(parse_media_type("text/").has_value());
  EXPECT_FALSE(parse_media_type("te xt/a").has_value());
}

TEST(Seconds, OnlyPositiveNumbersOfLessThanAYear) {
  EXPECT_EQ(parse_seconds("2.5"), 2'500U);
  EXPECT_EQ(parse_seconds("0.0001"), 1U);
  for (const char* text : {"", "0", "-1", "1s", "nan", "inf", "1e9"}) {
    EXPECT_FALSE(parse_seconds(text).has_value()) << text;
  }
}

TEST(AbsoluteIri, WhatIrirefForbidsIsNone) {
  EXPECT_TRUE(is_absolute_iri("http://example.org/a?b#c"));
  EXPECT_TRUE(is_absolute_iri("urn:x:\xC3\xA4"));
  for (const char* text : {"", "a/b", "/a", "http://a b", "http://a>", "http://a\n", "urn:\xFF"}) {
    EXPECT_FALSE(is_absolute_iri(text)) << text;
  }
}

RequestHead head_of(std::string_view method, std::string target,
                    std::string_view content_type = {}) {
  RequestHead head;
  head.method_name = method;
  head.method = method_by_name(method);
  head.target = std::move(target);
  EXPECT_TRUE(split_target(head).ok());
  head.fields.push_back({"Host", "localhost"});
  if (!content_type.empty()) {
    head.fields.push_back({"content-type", std::string(content_type)});
  }
  return head;
}

unsigned status_for(const RequestHead& head, std::string body,
                    Operations operations = Operations::kBoth) {
  if (const Status status = check_sparql_head(head, operations); !status.ok()) {
    return status_of(status.error());
  }
  const auto request = parse_sparql_request(head, operations, std::move(body));
  return request.ok() ? 200 : status_of(request.error());
}

constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kQueryType = "application/sparql-query";
constexpr std::string_view kUpdateType = "application/sparql-update; charset=utf-8";

TEST(SparqlProtocol, TheThreeWaysToAskAreTaken) {
  const auto get =
      parse_sparql_request(head_of("GET", "/sparql?query=ASK+%7B%7D&default-graph-uri=urn%3Aa&x=y"),
                           Operations::kBoth, "");
  EXPECT_EQ(get.value().kind, SparqlRequest::Kind::kQuery);
  EXPECT_EQ(get.value().text, "ASK {}");
  EXPECT_THAT(get.value().graphs, ElementsAre("urn:a"));
  const auto form = parse_sparql_request(head_of("POST", "/sparql?named-graph-uri=urn:b", kForm),
                                         Operations::kBoth, "query=ASK%7B%7D");
  EXPECT_THAT(form.value().named_graphs, ElementsAre("urn:b"));
  const auto direct =
      parse_sparql_request(head_of("POST", "/sparql?using-graph-uri=urn:c", kUpdateType),
                           Operations::kBoth, "CLEAR ALL");
  EXPECT_EQ(direct.value().kind, SparqlRequest::Kind::kUpdate);
  EXPECT_THAT(direct.value().graphs, ElementsAre("urn:c"));
  EXPECT_EQ(parse_sparql_request(head_of("GET", "/sparql"), Operations::kBoth, "").value().kind,
            SparqlRequest::Kind::kDescription);
}

TEST(SparqlProtocol, WhatTheProtocolForbidsIsRefused) {
  EXPECT_EQ(status_for(head_of("PUT", "/sparql?query=ASK{}"), ""), 405U);
  EXPECT_EQ(status_for(head_of("GET", "/update?update=x"), "", Operations::kUpdate), 405U);
  EXPECT_EQ(status_for(head_of("GET", "/sparql?update=CLEAR+ALL"), ""), 400U);
  EXPECT_EQ(status_for(head_of("GET", "/sparql?query=a&query=b"), ""), 400U);
  EXPECT_EQ(status_for(head_of("POST", "/sparql", "text/plain"), "ASK {}"), 415U);
  EXPECT_EQ(status_for(head_of("POST", "/sparql"), "ASK {}"), 415U);
  EXPECT_EQ(status_for(head_of("POST", "/sparql", "application/sparql-query; charset=UTF-16"), "x"),
            415U);
  EXPECT_EQ(status_for(head_of("POST", "/sparql", kQueryType), "\xFF\xFE"), 400U);
  EXPECT_EQ(status_for(head_of("POST", "/sparql", kForm), "update=a&update=b"), 400U);
  EXPECT_EQ(status_for(head_of("POST", "/sparql", kForm), "update=a&query=b"), 400U);
  EXPECT_EQ(status_for(head_of("POST", "/sparql", kForm), "x=y"), 400U);
  EXPECT_EQ(status_for(head_of("POST", "/query", kForm), "update=a", Operations::kQuery), 400U);
  EXPECT_EQ(status_for(head_of("POST", "/sparql?using-graph-uri=urn:a", kQueryType), "ASK {}"),
            400U);
  EXPECT_EQ(status_for(head_of("POST", "/sparql?default-graph-uri=a", kQueryType), "ASK {}"), 400U);
}

TEST(SparqlProtocol, AFormIsSeenToUpdate) {
  EXPECT_TRUE(form_updates("update=x"));
  EXPECT_TRUE(form_updates("a=b&update=x"));
  EXPECT_FALSE(form_updates("query=update%3D"));
}

TEST(Multipart, PartsComeWithTheirTypeAndName) {
  const std::string body =
      "--b\r\nContent-Type: text/turtle\r\nContent-Disposition: form-data; name=\"x\"; "
      "filename=\"x.ttl\"\r\n\r\nA\r\nB\r\n--b\r\n\r\n\r\n--b--\r\n";
  const auto parts = parse_multipart(body, "b").value();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].content_type, "text/turtle");
  EXPECT_EQ(parts[0].file_name, "x.ttl");
  EXPECT_EQ(parts[0].bytes, "A\r\nB");
  EXPECT_EQ(parts[1].bytes, "");
}

TEST(Multipart, CutAndStrangeBodiesAreErrors) {
  for (const char* body : {"", "--b", "--b\r\n", "--b\r\n\r\nx", "--bc\r\n\r\nx\r\n--b--", "x"}) {
    EXPECT_EQ(parse_multipart(body, "b").error().kind(), ErrorKind::kInvalid) << body;
  }
  EXPECT_FALSE(parse_multipart("--\r\n\r\nx\r\n----", "").ok());
}

TEST(Multipart, TheNumberOfPartsIsLimited) {
  std::string body = "--b";
  for (size_t i = 0; i < kPartsMax; ++i) {
    body += "\r\n\r\n\r\n--b";
  }
  EXPECT_EQ(parse_multipart(body + "--", "b").value().size(), kPartsMax);
  EXPECT_EQ(parse_multipart(body + "\r\n\r\n\r\n--b--", "b").error().kind(), ErrorKind::kLimit);
}

TEST(Tokens, ATokenAndItsDigestAreTheSame) {
  TokenTable tokens;
  ASSERT_TRUE(tokens.add("secret", Right::kWrite).ok());
  ASSERT_TRUE(tokens
                  .add_lines("# who reads\n"
                             "sha256:2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e"
                             "90 read\r\n\nother write\n")
                  .ok());
  EXPECT_EQ(tokens.right_of("secret"), Right::kWrite);
  EXPECT_EQ(tokens.right_of("alice"), Right::kRead);
  EXPECT_EQ(tokens.right_of("other"), Right::kWrite);
  EXPECT_EQ(tokens.right_of("secre"), Right::kNone);
  EXPECT_EQ(tokens.right_of(""), Right::kNone);
}

TEST(Tokens, BadLinesAreNamed) {
  TokenTable tokens;
  EXPECT_EQ(tokens.add_lines("a\nsha256:12\n").error().fact("line"), "2");
  EXPECT_FALSE(tokens.add_lines("a admin\n").ok());
  EXPECT_FALSE(tokens.add("", Right::kWrite).ok());
  EXPECT_FALSE(tokens.add("a b", Right::kWrite).ok());
}

TEST(RequestHead, WhatSmugglesIsRefused) {
  RequestHead head = head_of("POST", "/sparql");
  EXPECT_TRUE(check_request(head).ok());
  head.fields.push_back({"Content-Length", "3"});
  EXPECT_TRUE(check_request(head).ok());
  head.fields.push_back({"transfer-encoding", "chunked"});
  EXPECT_FALSE(check_request(head).ok());
  head = head_of("GET", "/");
  head.fields.push_back({"host", "other"});
  EXPECT_FALSE(check_request(head).ok());
  head.fields.clear();
  EXPECT_FALSE(check_request(head).ok());
}

TEST(RequestHead, TargetsAreSplit) {
  RequestHead head = head_of("GET", "http://example.org/a/b?c=d#e");
  EXPECT_EQ(head.path, "/a/b");
  EXPECT_EQ(head.query, "c=d");
  head.target = "example.org:80";
  EXPECT_FALSE(split_target(head).ok());
}

TEST(Bearer, TheSchemeIsReadInAnyCase) {
  EXPECT_EQ(bearer_token("Bearer  abc "), "abc");
  EXPECT_EQ(bearer_token("bearer abc"), "abc");
  EXPECT_FALSE(bearer_token("Basic abc").has_value());
  EXPECT_FALSE(bearer_token("Bearer").has_value());
}

}  // namespace
}  // namespace weft::server
