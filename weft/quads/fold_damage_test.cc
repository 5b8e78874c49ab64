// Damage in segments seen through the fold: the same answer or kCorrupt, whichever bit is wrong.
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/quads/fold.h"
#include "weft/rete/build/segment_builder.h"
#include "weft/storage/memory_store.h"

namespace weft::quads {
namespace {

class MapOpener final : public manifest::ObjectOpener {
 public:
  std::map<std::string, std::string> objects;
  Result<std::unique_ptr<storage::ObjectReader>> open(const std::string& address) override {
    const auto found = objects.find(address.substr(address.rfind('/') + 1));
    if (found == objects.end()) {
      return Error(ErrorKind::kNotFound, "no such object").with("object", address);
    }
    return storage::read_buffer(address, storage::Buffer::copy_of(as_bytes(found->second)));
  }
};

struct Built {
  std::string bytes;
  manifest::SegmentPin pin;
};

Built build(const std::string& name, const std::vector<rdf::QuadView>& quads, uint8_t version) {
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  base::InlineExecutor executor;
  const auto scratch = storage::memory_scratch();
  rete::BuildOptions options;
  options.format_version = version;
  options.six_permutations = false;
  options.schema = false;
  options.build_record = false;
  options.memory_bytes = rete::kBuildMemoryBytesMin;
  auto builder = rete::SegmentBuilder::create(options, executor, *scratch).value();
  WEFT_CHECK(builder->sink(0).accept(quads).ok());
  auto writer = store.create(name).value();
  const rete::BuildReport report = builder->finish(*writer).value();
  WEFT_CHECK(writer->publish().ok());
  return {.bytes = to_text(store.get(name, UINT64_MAX).value().bytes.view()),
          .pin = {.url = name, .size_bytes = report.file_bytes, .hash = report.content_hash}};
}

// All rows of some scans, the graphs and the count, as text; or the error.
Result<std::string> answers(const std::vector<manifest::LogEntry>& log, MapOpener& opener) {
  WEFT_TRY(const auto fold, Fold::open(log, "m.json", true, opener, {}));
  std::string text;
  const std::string_view wanted[] = {"<x:a>", "<x:p>", "\"2\""};
  std::vector<rdf::TermId> ids;
  WEFT_TRY_STATUS(fold->find(wanted, ids, {}));
  for (const rdf::IdPattern& pattern :
       {rdf::IdPattern{}, rdf::IdPattern{.subject = ids[0]}, rdf::IdPattern{.predicate = ids[1]},
        rdf::IdPattern{.object = ids[2]}, rdf::IdPattern{.scope = rdf::GraphScope::kAllNamed}}) {
    WEFT_TRY(const auto cursor, fold->scan(pattern, rdf::Permutation::kPos, {}));
    rdf::IdBatch batch;
    while (true) {
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        break;
      }
      for (const auto* column : {&batch.subject, &batch.predicate, &batch.object, &batch.graph}) {
        std::vector<std::string> tokens;
        WEFT_TRY_STATUS(fold->tokens(*column, tokens, {}));
        for (const std::string& token : tokens) {
          text += token + "\n";
        }
      }
    }
  }
  WEFT_TRY(const uint64_t count, fold->quad_count({}));
  WEFT_TRY(const auto graphs, fold->graphs({}));
  return text + std::to_string(count) + " " + std::to_string(graphs.size());
}

class FoldDamage : public testing::TestWithParam<uint8_t> {};

TEST_P(FoldDamage, EveryFlippedBitGivesTheSameAnswerOrIsCorrupt) {
  const std::vector<rdf::QuadView> base = {
      {.subject = "<x:a>", .predicate = "<x:p>", .object = "\"1\"", .graph = {}},
      {.subject = "<x:a>", .predicate = "<x:q>", .object = "<x:b>", .graph = {}},
      {.subject = "<x:b>", .predicate = "<x:p>", .object = "\"2\"", .graph = "<x:g>"}};
  const std::vector<rdf::QuadView> dels = {
      {.subject = "<x:a>", .predicate = "<x:p>", .object = "\"1\"", .graph = {}}};
  const std::vector<rdf::QuadView> adds = {
      {.subject = "<x:c>", .predicate = "<x:p>", .object = "\"2\"", .graph = {}},
      {.subject = "<x:a>", .predicate = "<x:p>", .object = "\"3\"", .graph = {}}};
  MapOpener opener;
  std::vector<manifest::LogEntry> log(2);
  std::map<std::string, Built> built;
  built["base.rete"] = build("base.rete", base, GetParam());
  built["dels.rete"] = build("dels.rete", dels, GetParam());
  built["adds.rete"] = build("adds.rete", adds, GetParam());
  log[0].adds = built["base.rete"].pin;
  log[1] = {.adds = built["adds.rete"].pin, .dels = built["dels.rete"].pin};
  for (const auto& [name, segment] : built) {
    opener.objects[name] = segment.bytes;
  }
  const auto right = answers(log, opener);
  ASSERT_TRUE(right.ok()) << right.error().to_string();
  size_t caught = 0;
  size_t same = 0;
  for (const auto& [name, segment] : built) {
    std::string& bytes = opener.objects[name];
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] = static_cast<char>(segment.bytes[bit / 8] ^ (1 << (bit % 8)));
      const auto answer = answers(log, opener);
      if (answer.ok()) {
        ASSERT_EQ(*answer, *right) << name << ", bit " << bit;
        ++same;
      } else {
        ASSERT_EQ(answer.error().kind(), ErrorKind::kCorrupt)
            << name << ", bit " << bit << ": " << answer.error().to_string();
        ++caught;
      }
      bytes[bit / 8] = segment.bytes[bit / 8];
    }
  }
  EXPECT_GT(caught, 1'000U);
  std::printf("generation %d: %zu flips refused, %zu without effect\n", GetParam(), caught, same);
}

TEST_P(FoldDamage, ACutOrReplacedSegmentIsCorruptAndAMissingOneIsNamed) {
  const std::vector<rdf::QuadView> base = {
      {.subject = "<x:a>", .predicate = "<x:p>", .object = "\"1\"", .graph = {}}};
  const std::vector<rdf::QuadView> other = {
      {.subject = "<x:a>", .predicate = "<x:p>", .object = "\"2\"", .graph = {}}};
  MapOpener opener;
  const Built segment = build("base.rete", base, GetParam());
  const Built replaced = build("base.rete", other, GetParam());
  const std::vector<manifest::LogEntry> log = {{.adds = segment.pin, .dels = {}}};
  for (size_t size = 0; size < segment.bytes.size(); size += 13) {
    opener.objects["base.rete"] = segment.bytes.substr(0, size);
    const auto answer = answers(log, opener);
    ASSERT_EQ(answer.error().kind(), ErrorKind::kCorrupt);
    ASSERT_EQ(answer.error().fact("place"), "log[0].adds");
  }
  opener.objects["base.rete"] = replaced.bytes;
  EXPECT_EQ(answers(log, opener).error().kind(), ErrorKind::kCorrupt);
  opener.objects.clear();
  const auto missing = answers(log, opener);
  EXPECT_EQ(missing.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(missing.error().to_string(), testing::HasSubstr("base.rete"));
}

INSTANTIATE_TEST_SUITE_P(Generations, FoldDamage, testing::Values(uint8_t{6}, uint8_t{5}));

}  // namespace
}  // namespace weft::quads
