#include "weft/manifest/document.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::manifest {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kHash = "a763755f0f773798877d8978eba7e193";

SegmentPin pin(std::string_view url, uint64_t size = 10) {
  SegmentPin result{.url = std::string(url), .size_bytes = size, .hash = {}};
  result.hash[0] = std::byte{0xAB};
  return result;
}

std::string entry_text(std::string_view role, std::string_view url) {
  return "{\"" + std::string(role) + "\":{\"url\":\"" + std::string(url) +
         "\",\"size\":1,\"blake3_16\":\"" + std::string(kHash) + "\"}}";
}

std::string document(std::string_view log, std::string_view more = "") {
  return R"({"rete_manifest":1,"name":"g","generation":3,"log":)" + std::string(log) +
         std::string(more) + "}";
}

TEST(Manifest, IsWrittenAsReteWritesIt) {
  Manifest manifest = Manifest::create("é\"g", pin("base.rete", 1314));
  ASSERT_TRUE(manifest.append({.adds = pin("a.rete"), .dels = pin("d.rete")}).ok());
  EXPECT_EQ(manifest.text(), R"({
  "generation": 2,
  "log": [
    {
      "adds": {
        "blake3_16": "ab000000000000000000000000000000",
        "size": 1314,
        "url": "base.rete"
      }
    },
    {
      "adds": {
        "blake3_16": "ab000000000000000000000000000000",
        "size": 10,
        "url": "a.rete"
      },
      "dels": {
        "blake3_16": "ab000000000000000000000000000000",
        "size": 10,
        "url": "d.rete"
      }
    }
  ],
  "name": "é\"g",
  "rete_manifest": 1
}
)");
  const Result<Manifest> again = Manifest::parse(manifest.text());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->text(), manifest.text());
  EXPECT_EQ(again->log(), manifest.log());
  EXPECT_EQ(again->name(), "é\"g");
}

TEST(Manifest, AnEmptyLogIsWrittenAsAnEmptyArray) {
  const Result<Manifest> manifest = Manifest::parse(document("[]"));
  ASSERT_TRUE(manifest.ok());
  EXPECT_EQ(
      manifest->text(),
      "{\n  \"generation\": 3,\n  \"log\": [],\n  \"name\": \"g\",\n  \"rete_manifest\": 1\n}\n");
}

TEST(Manifest, UnknownMembersSurviveAChange) {
  Result<Manifest> manifest = Manifest::parse(
      R"({"rete_manifest":1,"name":"x","generation":4,"owner":{"z":1.50,"a":[null]},"log":[{"adds":)"
      R"({"url":"b","size":0,"blake3_16":"00000000000000000000000000000000","note":"n"},"comment":"c"}]})");
  ASSERT_TRUE(manifest.ok());
  ASSERT_TRUE(manifest->append({.adds = pin("a"), .dels = {}}).ok());
  const std::string text = manifest->text();
  EXPECT_THAT(text, HasSubstr("\"z\": 1.50"));
  EXPECT_THAT(text, HasSubstr("\"note\": \"n\""));
  EXPECT_THAT(text, HasSubstr("\"comment\": \"c\""));
  EXPECT_THAT(text, HasSubstr("\"generation\": 5"));
  ASSERT_TRUE(manifest->compact(manifest->log().size(), pin("c")).ok());
  EXPECT_THAT(manifest->text(), HasSubstr("\"z\": 1.50"));
}

TEST(Manifest, AbsentRolesAndHashesAreBroughtToOneForm) {
  const Result<Manifest> manifest = Manifest::parse(document(
      R"([{"adds":null,"dels":{"url":"d","size":1,"blake3_16":"A763755F0F773798877D8978EBA7E193"}}])"));
  ASSERT_TRUE(manifest.ok());
  EXPECT_FALSE(manifest->log()[0].adds.has_value());
  EXPECT_EQ(hash_text(manifest->log()[0].dels->hash), kHash);
  EXPECT_THAT(manifest->text(), testing::Not(HasSubstr("null")));
  EXPECT_THAT(manifest->text(), HasSubstr(std::string(kHash)));
}

TEST(Manifest, EveryConditionIsRefusedInReteWords) {
  struct Case {
    std::string text;
    std::string message;
  };
  const std::string pin_start = R"([{"adds":{"url":"b")";
  const std::string version_error = "manifest: missing integer `rete_manifest` version field";
  const std::vector<Case> cases = {
      {"", "manifest: invalid JSON"},
      {"\xEF\xBB\xBF{}", "manifest: invalid JSON"},
      {"[]", version_error},
      {"{}", version_error},
      {R"({"rete_manifest":1.0})", version_error},
      {R"({"rete_manifest":"1"})", version_error},
      {R"({"rete_manifest":2})", "manifest: version 2 not supported (this build reads 1)"},
      {R"({"rete_manifest":1})", "manifest: missing string `name`"},
      {R"({"rete_manifest":1,"name":1})", "manifest: missing string `name`"},
      {R"({"rete_manifest":1,"name":"","generation":-1})",
       "manifest: missing integer `generation`"},
      {R"({"rete_manifest":1,"name":"","generation":18446744073709551616})",
       "manifest: missing integer `generation`"},
      {R"({"rete_manifest":1,"name":"","generation":0,"log":{}})", "manifest: missing array `log`"},
      {document("[{}]"), "manifest: log[0]: needs `adds` and/or `dels`"},
      {document("[" + entry_text("adds", "b") + ",7]"),
       "manifest: log[1]: needs `adds` and/or `dels`"},
      {document(R"([{"adds":5}])"), "manifest: log[0].adds: missing string `url`"},
      {document(pin_start + "}}]"), "manifest: log[0].adds: missing integer `size`"},
      {document(pin_start + R"(,"size":1.0}}])"), "manifest: log[0].adds: missing integer `size`"},
      {document(pin_start + R"(,"size":1}}])"),
       "manifest: log[0].adds: missing string `blake3_16`"},
      {document(pin_start + R"(,"size":1,"blake3_16":"zz"}}])"),
       "manifest: log[0].adds: `blake3_16` must be 32 hex chars, got \"zz\""},
      {document(R"([{"dels":{}}])"), "manifest: log[0].dels: missing string `url`"},
  };
  for (const Case& each : cases) {
    const Result<Manifest> manifest = Manifest::parse(each.text);
    ASSERT_FALSE(manifest.ok()) << each.text;
    EXPECT_EQ(manifest.error().message(), each.message) << each.text;
    EXPECT_EQ(manifest.error().kind(), each.message.find("not supported") == std::string::npos
                                           ? ErrorKind::kCorrupt
                                           : ErrorKind::kUnsupported);
  }
}

TEST(Manifest, TheLastOfEquallyNamedMembersCounts) {
  EXPECT_EQ(Manifest::parse(document("[]", R"(,"name":"y")"))->name(), "y");
}

TEST(Manifest, TheLastGenerationIsNotPassed) {
  Result<Manifest> manifest = Manifest::parse(
      R"({"rete_manifest":1,"name":"x","generation":18446744073709551614,"log":[]})");
  ASSERT_TRUE(manifest.ok());
  EXPECT_TRUE(manifest->append({.adds = pin("a"), .dels = {}}).ok());
  EXPECT_EQ(manifest->generation(), UINT64_MAX);
  EXPECT_EQ(manifest->append({.adds = pin("b"), .dels = {}}).error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(manifest->compact(manifest->log().size(), pin("c")).error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(manifest->log().size(), 1U);
}

TEST(Manifest, AnEntryThatNamesNothingIsRefused) {
  Manifest manifest = Manifest::create("g", std::nullopt);
  EXPECT_EQ(manifest.append({}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(manifest.generation(), 1U);
}

TEST(Manifest, EarlierGenerationsArePrefixesOfTheLog) {
  Manifest manifest = Manifest::create("g", std::nullopt);
  ASSERT_TRUE(manifest.append({.adds = pin("a"), .dels = {}}).ok());
  ASSERT_TRUE(manifest.append({.adds = pin("b"), .dels = {}}).ok());
  EXPECT_EQ(manifest.log_at(3)->size(), 2U);
  EXPECT_EQ(manifest.log_at(2)->size(), 1U);
  EXPECT_EQ(manifest.log_at(1)->size(), 0U);
  EXPECT_EQ(manifest.log_at(0)->size(), 0U);
  EXPECT_EQ(manifest.log_at(4).error().kind(), ErrorKind::kNotFound);
}

TEST(Manifest, WhatStoodBeforeALogOfUnknownHistoryIsNotGuessed) {
  const Result<Manifest> manifest = Manifest::parse(document("[" + entry_text("adds", "b") + "]"));
  ASSERT_TRUE(manifest.ok());
  EXPECT_TRUE(manifest->log_at(3).ok());
  EXPECT_EQ(manifest->log_at(2).error().kind(), ErrorKind::kNotFound);
}

TEST(Manifest, TheLogThatACompactionReplacedIsRemembered) {
  Manifest manifest = Manifest::create("g", pin("base"));
  ASSERT_TRUE(manifest.append({.adds = pin("a"), .dels = {}}).ok());
  ASSERT_TRUE(manifest.compact(manifest.log().size(), pin("c")).ok());
  ASSERT_TRUE(manifest.append({.adds = pin("d"), .dels = {}}).ok());
  const Result<Manifest> again = Manifest::parse(manifest.text());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->generation(), 4U);
  EXPECT_EQ(again->log_at(4)->size(), 2U);
  EXPECT_EQ(again->log_at(3)->front().adds->url, "c");
  EXPECT_EQ(again->log_at(2)->size(), 2U);
  EXPECT_EQ(again->log_at(1)->front().adds->url, "base");
}

TEST(Manifest, EntriesThatCameWhileOthersWereCompactedStay) {
  Manifest manifest = Manifest::create("g", pin("base"));                // generation 1
  ASSERT_TRUE(manifest.append({.adds = pin("a"), .dels = {}}).ok());     // 2
  ASSERT_TRUE(manifest.append({.adds = {}, .dels = pin("late")}).ok());  // 3
  ASSERT_TRUE(manifest.compact(2, pin("c")).ok());                       // 4
  ASSERT_TRUE(manifest.append({.adds = pin("d"), .dels = {}}).ok());     // 5
  ASSERT_EQ(manifest.log().size(), 3U);
  EXPECT_EQ(manifest.log()[0].adds->url, "c");
  EXPECT_EQ(manifest.log()[1].dels->url, "late");
  EXPECT_EQ(manifest.log_at(4)->size(), 2U);
  EXPECT_EQ(manifest.log_at(3)->size(), 3U);
  EXPECT_EQ(manifest.log_at(2)->back().adds->url, "a");
  const auto history = manifest.history(2, 5);
  ASSERT_TRUE(history.ok());
  EXPECT_EQ(history->from_entries, 2U);
  std::string urls;
  for (const LogEntry& entry : history->log) {
    urls += (entry.adds.has_value() ? entry.adds->url : entry.dels->url) + " ";
  }
  EXPECT_EQ(urls, "base a late d ");
  EXPECT_EQ(manifest.history(4, 5)->from_entries, 2U);
  EXPECT_EQ(manifest.history(1, 3)->from_entries, 1U);
  EXPECT_EQ(manifest.history(5, 4).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(manifest.history(1, 6).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(manifest.history(0, 5)->log.size(), 3U);
  // The next compaction forgets what the last one remembered.
  ASSERT_TRUE(manifest.compact(3, pin("e")).ok());
  EXPECT_EQ(manifest.log_at(5)->size(), 3U);
  EXPECT_EQ(manifest.log_at(4)->size(), 2U);
  EXPECT_EQ(manifest.log_at(3).error().kind(), ErrorKind::kNotFound);
}

TEST(Manifest, OnlyShortReplacedLogsAreRemembered) {
  for (const size_t entries : {kReplacedLogEntriesMax, kReplacedLogEntriesMax + 1}) {
    Manifest manifest = Manifest::create("g", std::nullopt);
    for (size_t i = 0; i < entries; ++i) {
      ASSERT_TRUE(manifest.append({.adds = pin("a"), .dels = {}}).ok());
    }
    ASSERT_TRUE(manifest.compact(manifest.log().size(), pin("c")).ok());
    EXPECT_EQ(manifest.log_at(2).ok(), entries == kReplacedLogEntriesMax);
  }
}

TEST(Manifest, MembersOfOursThatAreOddChangeNothing) {
  for (const std::string_view odd :
       {R"("x")", R"({"replaced":1})", R"({"replaced":{"generation":2,"log":[{}]}})",
        R"({"replaced":{"log":[]}})", R"({"empty_generation":"2"})"}) {
    Result<Manifest> manifest = Manifest::parse(
        document("[" + entry_text("adds", "b") + "]", ",\"weft\":" + std::string(odd)));
    ASSERT_TRUE(manifest.ok()) << odd;
    EXPECT_EQ(manifest->log_at(2).error().kind(), ErrorKind::kNotFound) << odd;
    EXPECT_TRUE(manifest->compact(manifest->log().size(), pin("c")).ok());
    EXPECT_TRUE(Manifest::parse(manifest->text()).ok());
  }
}

// Generations before what stands in `since` are asked for by the log that was replaced; a document
// of another hand may name a `since` that its own log does not reach.
TEST(Manifest, ACompactionOutsideOfTheLogIsNotKnown) {
  // From the last generation of the replaced log on, as a document of generation 3 tells it.
  const auto history = [](uint64_t since) {
    const Result<Manifest> manifest = Manifest::parse(
        document("[" + entry_text("adds", "b") + "]",
                 R"(,"weft":{"since":)" + std::to_string(since) + R"(,"replaced":{"generation":)" +
                     std::to_string(since - 1) + R"(,"log":[)" + entry_text("adds", "a") + "]}}"));
    EXPECT_TRUE(manifest.ok());
    return manifest->history(std::min<uint64_t>(since - 1, 2), manifest->generation());
  };
  const auto known = history(3);
  ASSERT_TRUE(known.ok()) << known.error().message();
  EXPECT_EQ(known->from_entries, 1U);
  EXPECT_EQ(known->log.size(), 1U);
  for (const uint64_t since : {2U, 4U, 5U}) {
    const auto unknown = history(since);
    ASSERT_FALSE(unknown.ok()) << since;
    EXPECT_EQ(unknown.error().kind(), ErrorKind::kNotFound) << since;
  }
}

TEST(Manifest, SizeIsLimited) {
  const std::string padding(kManifestSizeMaxBytes, ' ');
  const std::string text = document("[]");
  EXPECT_TRUE(Manifest::parse(text + padding.substr(text.size())).ok());
  EXPECT_EQ(Manifest::parse(text + padding.substr(text.size() - 1)).error().kind(),
            ErrorKind::kLimit);
}

}  // namespace
}  // namespace weft::manifest
