// Damage in segments seen through the fold: the same answer or kCorrupt, whichever bit is wrong.
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/random.h"
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

Built build(const std::string& name, const std::vector<rdf::QuadView>& quads, uint8_t version,
            bool many_tiles = false) {
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  base::InlineExecutor executor;
  const auto scratch = storage::memory_scratch();
  rete::BuildOptions options;
  options.format_version = version;
  options.six_permutations = many_tiles;
  options.tile_bytes = many_tiles ? 2'048 : options.tile_bytes;
  options.compress = !many_tiles;
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

// What look_up says of one pattern, as text that tells every difference.
std::string said(FoldLookup& lookup, const rdf::IdPattern& pattern, rdf::Permutation permutation) {
  rdf::IdBatch rows;
  std::vector<uint32_t> ends;
  const auto done = lookup.look_up({&pattern, 1}, permutation, 10'000, rows, ends, {});
  if (!done.ok()) {
    return "error " + done.error().to_string();
  }
  std::string text = std::to_string(*done);
  for (const auto* column : {&rows.subject, &rows.predicate, &rows.object}) {
    text += '|';
    for (const rdf::TermId id : *column) {
      text += ' ' + std::to_string(id);
    }
  }
  return text;
}

// A base of many tiles, of which a part is deleted and to which a part is added.
struct ManyTiles {
  std::vector<std::string> nodes;
  std::vector<manifest::LogEntry> log{2};
  MapOpener opener;

  ManyTiles() {
    base::Random random(1);
    constexpr size_t kNodes = 3'000;
    for (size_t i = 0; i < kNodes; ++i) {
      nodes.push_back("<x:n" + std::to_string(i) + ">");
    }
    std::vector<rdf::QuadView> base;
    std::vector<rdf::QuadView> dels;
    std::vector<rdf::QuadView> adds;
    const auto node = [&] { return std::string_view(nodes[random.below(kNodes)]); };
    for (size_t i = 0; i < 20'000; ++i) {
      const rdf::QuadView quad = {.subject = node(),
                                  .predicate = i % 3 == 0 ? "<x:p>" : "<x:q>",
                                  .object = node(),
                                  .graph = {}};
      (i % 20 == 0 ? adds : base).push_back(quad);
      if (i % 20 == 1) {
        dels.push_back(quad);
      }
    }
    const auto add = [&](const std::string& name, const std::vector<rdf::QuadView>& quads) {
      const Built built = build(name, quads, 6, true);
      opener.objects[name] = built.bytes;
      return built.pin;
    };
    log[0].adds = add("base.rete", base);
    log[1] = {.adds = add("adds.rete", adds), .dels = add("dels.rete", dels)};
  }
  // With overlays decoded, so that nothing is left to scans.
  std::shared_ptr<Fold> open() {
    auto fold = Fold::open(log, "m.json", true, opener, {}).value();
    WEFT_CHECK(fold->warm_up({}).ok());
    for (int i = 0; i < 64; ++i) {
      WEFT_CHECK(fold->scan({.subject = 1}, rdf::Permutation::kSpo, {}).ok());
    }
    return fold;
  }
};

TEST(FoldDamageLookup, TheSameIsToldWhateverWasLookedUpBefore) {
  ManyTiles graph;
  std::vector<rdf::TermId> ids;
  const auto sound = graph.open();
  const std::vector<std::string_view> tokens(graph.nodes.begin(), graph.nodes.end());
  ASSERT_TRUE(sound->find(tokens, ids, {}).ok());
  std::vector<rdf::TermId> predicates;
  const std::string_view names[] = {"<x:p>", "<x:q>"};
  ASSERT_TRUE(sound->find(names, predicates, {}).ok());
  const std::string whole = graph.opener.objects["base.rete"];
  ASSERT_GT(whole.size(), 4 * 65'536U);
  size_t errors = 0;
  size_t rows = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    base::Random random(seed);
    std::string& bytes = graph.opener.objects["base.rete"];
    bytes = whole;
    if (seed > 4) {
      // Behind the dictionary, which opening reads.
      const size_t at = bytes.size() / 2 + random.below(bytes.size() / 2 - 64);
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
    }
    const auto one = graph.open();
    const auto other = graph.open();
    const auto used = one->lookup();
    uint64_t at = 0;
    for (int step = 0; step < 300; ++step) {
      at = (random.chance(2, 3) ? at + random.below(3) : random.next()) % ids.size();
      rdf::IdPattern pattern = {.predicate = predicates[random.below(2)]};
      const bool backwards = random.chance(1, 4);
      (backwards ? pattern.object : pattern.subject) = ids[at];
      const auto order = backwards ? rdf::Permutation::kPos : rdf::Permutation::kPso;
      const std::string answer = said(*used, pattern, order);
      ASSERT_EQ(answer, said(*other->lookup(), pattern, order)) << "seed " << seed;
      errors += answer.starts_with("error") ? 1 : 0;
      rows += answer.starts_with("1| ") ? 1 : 0;
      if (!answer.starts_with("error")) {
        ASSERT_EQ(answer, said(*sound->lookup(), pattern, order)) << "seed " << seed;
      } else {
        ASSERT_THAT(answer, testing::HasSubstr("cannot trust .rete file"));
      }
    }
  }
  EXPECT_GT(errors, 200U);
  EXPECT_GT(rows, 3'000U);
}

INSTANTIATE_TEST_SUITE_P(Generations, FoldDamage, testing::Values(uint8_t{6}, uint8_t{5}));

}  // namespace
}  // namespace weft::quads
