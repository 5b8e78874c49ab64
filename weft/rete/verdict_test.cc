// Verdicts on files of others, and their irregular terms.
#include "weft/rete/verdict.h"

#include <gtest/gtest.h>

#include "weft/rete/segment.h"
#include "weft/rete/testing/segment_maker.h"
#include "weft/rete/testing/segment_probe.h"
#include "weft/storage/memory_store.h"

namespace weft::rete {
namespace {

VerdictKey key_of(std::string identity) {
  VerdictKey key;
  key.identity = std::move(identity);
  key.content_hash.fill(std::byte{7});
  return key;
}

std::shared_ptr<storage::ObjectStore> memory_folder(storage::MemoryDisk& disk) {
  return std::make_shared<storage::MemoryStore>(disk);
}

TEST(Verdict, WhatIsSavedIsLoadedForTheSameStateOnly) {
  storage::MemoryDisk disk;
  for (const auto& store : {verdict_memory(), verdict_store(memory_folder(disk))}) {
    EXPECT_FALSE(store->load(key_of("a"), VerdictKind::kIntact).has_value());
    store->save(key_of("a"), VerdictKind::kIntact, "");
    store->save(key_of("a"), VerdictKind::kIrregularTerms, "list");
    EXPECT_EQ(store->load(key_of("a"), VerdictKind::kIntact), "");
    EXPECT_EQ(store->load(key_of("a"), VerdictKind::kIrregularTerms), "list");
    EXPECT_FALSE(store->load(key_of("b"), VerdictKind::kIntact).has_value());
    VerdictKey other = key_of("a");
    other.content_hash[0] = std::byte{8};
    EXPECT_FALSE(store->load(other, VerdictKind::kIntact).has_value());
  }
}

TEST(Verdict, ADamagedEntryIsAbsentAndIsReplaced) {
  storage::MemoryDisk disk;
  const auto folder = memory_folder(disk);
  const auto store = verdict_store(folder);
  store->save(key_of("a"), VerdictKind::kIrregularTerms, "payload");
  const auto listed = folder->list("");
  ASSERT_TRUE(listed.ok());
  ASSERT_EQ(listed->size(), 1U);
  const std::string name = (*listed)[0].name;
  const auto object = folder->get(name, 1000);
  ASSERT_TRUE(object.ok());
  for (size_t byte = 0; byte < object->bytes.size(); ++byte) {
    std::string damaged = to_text(object->bytes.view());
    damaged[byte] = static_cast<char>(damaged[byte] ^ 1);
    ASSERT_TRUE(folder->remove(name).ok());
    ASSERT_TRUE(folder->put_if_absent(name, as_bytes(damaged)).ok());
    ASSERT_FALSE(store->load(key_of("a"), VerdictKind::kIrregularTerms).has_value()) << byte;
  }
  store->save(key_of("a"), VerdictKind::kIrregularTerms, "payload");
  EXPECT_EQ(store->load(key_of("a"), VerdictKind::kIrregularTerms), "payload");
}

TEST(Verdict, TheFolderFollowsTheEnvironment) {
  EXPECT_EQ(verdict_folder("/x", "/home/a"), "/x/weft/verdicts");
  EXPECT_EQ(verdict_folder("", "/home/a"), "/home/a/.cache/weft/verdicts");
  EXPECT_EQ(verdict_folder("relative", "/home/a"), "/home/a/.cache/weft/verdicts");
  EXPECT_EQ(verdict_folder("", ""), "");
}

std::string foreign_segment() {
  BuildOptions options;
  options.block_digests = false;
  return make_segment(random_quads(51, 2000, 3), options);
}

uint64_t bytes_of_first_question(const std::string& bytes, const SegmentOptions& options,
                                 const std::string& identity) {
  ReadCounters counters;
  const auto segment = Segment::open(bytes_reader(bytes, false, identity, &counters), options);
  EXPECT_TRUE(segment.ok());
  EXPECT_TRUE((*segment)->is_checked());
  const uint64_t before = counters.bytes;
  EXPECT_TRUE((*segment)->graphs({}).ok());
  return counters.bytes - before;
}

TEST(Verdict, AFileOfOthersIsReadOnceInFullAndNotAgain) {
  const std::string bytes = foreign_segment();
  SegmentOptions options;
  EXPECT_GT(bytes_of_first_question(bytes, options, "state 1"), bytes.size() / 2);
  options.verdicts = verdict_memory();
  EXPECT_GT(bytes_of_first_question(bytes, options, "state 1"), bytes.size() / 2);
  EXPECT_LT(bytes_of_first_question(bytes, options, "state 1"), bytes.size() / 10);
  EXPECT_GT(bytes_of_first_question(bytes, options, "state 2"), bytes.size() / 2);
  EXPECT_GT(bytes_of_first_question(bytes, options, ""), bytes.size() / 2);
}

TEST(Verdict, OurFilesAreNeverReadInFull) {
  const std::string bytes = make_segment(random_quads(52, 60'000, 3));
  EXPECT_LT(bytes_of_first_question(bytes, {}, ""), bytes.size() / 2);
}

TEST(Verdict, RemoteFilesOfOthersAreUncheckedUnlessAsked) {
  const std::string bytes = foreign_segment();
  SegmentOptions options;
  auto segment = Segment::open(bytes_reader(bytes, true), options);
  ASSERT_TRUE(segment.ok());
  EXPECT_FALSE((*segment)->is_checked());
  options.verify = VerifyPolicy::kAlways;
  std::string damaged = bytes;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  segment = Segment::open(bytes_reader(damaged, true), options);
  ASSERT_TRUE(segment.ok());
  EXPECT_TRUE((*segment)->is_checked());
  EXPECT_EQ((*segment)->graphs({}).error().kind(), ErrorKind::kCorrupt);
}

TEST(Verdict, DamageIsNotRemembered) {
  std::string bytes = foreign_segment();
  SegmentOptions options;
  options.verdicts = verdict_memory();
  std::string damaged = bytes;
  damaged[damaged.size() - 100] = static_cast<char>(damaged[damaged.size() - 100] ^ 1);
  auto segment = Segment::open(bytes_reader(damaged, false, "state"), options);
  ASSERT_TRUE(segment.ok());
  EXPECT_EQ((*segment)->graphs({}).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ((*segment)->graphs({}).error().kind(), ErrorKind::kCorrupt);
  EXPECT_GT(bytes_of_first_question(bytes, options, "state"), bytes.size() / 2);
}

TEST(Pins, AnotherHashOrSizeIsRefusedAtOpen) {
  const std::string bytes = make_segment(random_quads(53, 10, 0));
  auto segment = Segment::open(bytes_reader(bytes), {});
  ASSERT_TRUE(segment.ok());
  SegmentOptions options;
  options.expected_hash = (*segment)->facts().content_hash;
  options.expected_size = bytes.size();
  EXPECT_TRUE(Segment::open(bytes_reader(bytes), options).ok());
  options.expected_size = bytes.size() + 1;
  EXPECT_EQ(Segment::open(bytes_reader(bytes), options).error().kind(), ErrorKind::kCorrupt);
  options.expected_size.reset();
  options.expected_hash->front() ^= std::byte{1};
  EXPECT_EQ(Segment::open(bytes_reader(bytes), options).error().kind(), ErrorKind::kCorrupt);
}

TEST(Open, WhatIsNoSegmentIsSaidToBeNone) {
  for (const char* text :
       {"hello", "PK\x03\x04 a zip file of some length", "%PDF-1.4", "<html></html>"}) {
    EXPECT_EQ(Segment::open(bytes_reader(text), {}).error().kind(), ErrorKind::kInvalid) << text;
  }
  EXPECT_EQ(Segment::open(bytes_reader(""), {}).error().kind(), ErrorKind::kCorrupt);
  std::string other(2000, '\0');
  other.replace(0, 5, "RETE\x07");
  EXPECT_EQ(Segment::open(bytes_reader(other), {}).error().kind(), ErrorKind::kUnsupported);
}

TEST(Irregular, RawTokensOfOthersAreListedOnceAndRemembered) {
  const std::string folder = test_data("rete-golden");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/rete-golden is absent";
  }
  const std::string bytes = read_whole(folder + "/terms.06.rete");
  SegmentOptions options;
  options.verdicts = verdict_memory();
  auto first = Segment::open(bytes_reader(bytes, false, "state"), options);
  ASSERT_TRUE(first.ok());
  const auto terms = (*first)->irregular_terms({});
  ASSERT_TRUE(terms.ok()) << terms.error().to_string();
  EXPECT_FALSE((*terms)->empty());
  for (const IrregularTerm& each : **terms) {
    TokenTable token;
    std::vector<NodeId> nodes;
    std::vector<PredicateId> predicates;
    if (each.term.node != 0) {
      nodes.push_back(each.term.node);
    } else {
      predicates.push_back(each.term.predicate);
    }
    ASSERT_TRUE((*first)->tokens_of(nodes, predicates, token, {}).ok());
    EXPECT_NE(token[0], each.canonical);
  }
  auto second = Segment::open(bytes_reader(bytes, false, "state"), options);
  const auto again = (*second)->irregular_terms({});
  ASSERT_TRUE(again.ok());
  ASSERT_EQ((*again)->size(), (*terms)->size());
  for (size_t i = 0; i < (*terms)->size(); ++i) {
    EXPECT_EQ((**again)[i].term, (**terms)[i].term);
    EXPECT_EQ((**again)[i].canonical, (**terms)[i].canonical);
  }
}

TEST(Irregular, OurFilesHaveNone) {
  const auto segment = Segment::open(bytes_reader(make_segment(random_quads(54, 50, 2))), {});
  ASSERT_TRUE(segment.ok());
  EXPECT_TRUE((*segment)->facts().has_canonical_tokens);
  EXPECT_TRUE((*(*segment)->irregular_terms({}))->empty());
}

}  // namespace
}  // namespace weft::rete
