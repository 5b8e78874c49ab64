#include "weft/rete/build/segment_builder.h"

#include <gtest/gtest.h>

#include "weft/rete/build/quad_lines.h"
#include "weft/rete/format.h"
#include "weft/rete/testing/segment_probe.h"

namespace weft::rete {
namespace {

std::string hash_of(std::string_view lines, BuildOptions options, bool compress) {
  options.compress = compress;
  const auto built = build_segment(parse_quad_lines(lines), options);
  return built.ok() ? built->hash() : built.error().to_string();
}

constexpr std::string_view kOne = "<http://ex.org/a> <http://ex.org/p> \"1\" .\n";
constexpr std::string_view kExampleA =
    "<http://ex/a> <http://ex/knows> <http://ex/b> .\n"
    "<http://ex/b> <http://ex/name> \"Bob\" .\n";
constexpr std::string_view kExampleB =
    "<http://ex/a> <http://ex/knows> <http://ex/b> .\n"
    "<http://ex/b> <http://ex/name> \"Bob\" <http://ex/g> .\n";

// The check values of docs/formats/rete.md, those of the engine with codec 1.
TEST(SegmentBuilder, SmallSetsHaveTheHashesOfTheFormatDocument) {
  EXPECT_EQ(hash_of("", bare_options(), false), "d286b85a10788c8062fca767a921f501");
  EXPECT_EQ(hash_of(kOne, bare_options(), false), "6e336713c18139fddcf9e3bbfe735afd");
  EXPECT_EQ(hash_of(kExampleA, bare_options(), false), "60387450390aa6856cd0a3e934fd6d29");
  EXPECT_EQ(hash_of(kExampleB, bare_options(), false), "ae2d9898f842988a940dd5e974c02e03");
  EXPECT_EQ(hash_of("", bare_options(), true), "9c7a2cdfb58ec03aa4e6362d17b86efa");
  EXPECT_EQ(hash_of(kOne, bare_options(), true), "a28fd65602629179ede899bf84dd156d");
  EXPECT_EQ(hash_of(kExampleA, bare_options(), true), "7954ff9dd04841eb473d0a0418ef8db9");
  EXPECT_EQ(hash_of(kExampleB, bare_options(), true), "1f9114acf93d86f9c5e52ed7fd3038de");
}

TEST(SegmentBuilder, TheWorkedExampleIsReproducedByteByByte) {
  BuildOptions options = bare_options();
  options.compress = false;
  const auto built = build_segment(parse_quad_lines(kExampleB), options);
  ASSERT_TRUE(built.ok()) << built.error().to_string();
  EXPECT_EQ(built->bytes.size(), 1024U);
  EXPECT_EQ(codec::to_hex(as_bytes(built->bytes.substr(0, 64))),
            "5245544506098000ae2d9898f842988a940dd5e974c02e030004000000000000"
            "af0100008e000000310300000000000002000000000000000600000000000000");
  EXPECT_EQ(codec::to_hex(as_bytes(built->section(4)).first(12)),
            "0001030100011302000200"
            "00");
  EXPECT_EQ(built->report.terms, 6U);
  EXPECT_EQ(built->report.graphs, 1U);
  EXPECT_EQ(built->report.default_triples, 1U);
  EXPECT_EQ(built->report.named_quads, 1U);
}

// Hashes by the second writer of the format (prototypes/rete06), codec 0.
struct GoldenSet {
  const char* name;
  const char* bare;
  const char* with_schema;
  const char* with_schema_labels_text;
  const char* three_permutations_order_major;
  const char* byte5;  // by the writer of generation 5, prototypes/rete
};
constexpr GoldenSet kGoldenSets[] = {
    {"empty", "d286b85a10788c8062fca767a921f501", "d286b85a10788c8062fca767a921f501",
     "d286b85a10788c8062fca767a921f501", "377ff3563ae448c551455af822f26e20",
     "9fa1545b839bdad324c2d5e5d25c8f4a"},
    {"one", "6e336713c18139fddcf9e3bbfe735afd", "024f1c0a1981f6a02386331fb1b1b31a",
     "024f1c0a1981f6a02386331fb1b1b31a", "b7d45d42412ca008d724ba65a251cad5",
     "2dc460ca354f251e9739d9a78af3539c"},
    {"two", "60387450390aa6856cd0a3e934fd6d29", "bfe3576622ea1f889f7561c7b9ec8ce7",
     "d2d67f8403cd43eaab4e3d14ec9290d6", "07c190d27299e75016532ab1b51def08",
     "551daac55c0d7c0fabd7231a9bed8783"},
    {"terms", "d4997963f27b91c393090e530b80d7e9", "6787e9239af925f6500d6f095f6dd9a5",
     "cd8294c3cadd29849986f6e101f4efef", "a553fda93a6f4785298e53e0d7477ff3",
     "d45682b245de5c48b8024ba39b1d42ad"},
    {"star", "0901cad675a177c3bd35121fb1753871", "e51aa3072df7e489ece3dead1794fe4e",
     "4d60be7849a7572aa44e84a8caacb194", "562b7ed1ccafdc8faea3e627ac52b30f",
     "4750980b1244be16d5d413087aca1823"},
    {"graphs-few", "4a13caaf937a2d3a410d822d4596c568", "bd4cc318132d61828e5255a5d0bd78cc",
     "908884d4551951464a15e3e892af3da1", "d7580787cdbd201e6f10ab56d2ae2ea9",
     "3c7c4040fd590e4f3d25ef1f445a4ebe"},
    {"graphs-many", "eeeabd70a87c34bde77614bb839b4306", "a3516a4b38f1144433b130b89339b4d4",
     "7d2ad70ddce14aa64d612004dac27682", "5fe6e0006e7352a6348cae104e1372bb",
     "58973cee83d3d70102a172be527f8129"},
    {"text", "49b6d9ffa2e9d2f44da50c4a846047df", "d020b100d8f9d0057aff82d6a5aea382",
     "cf8baee7332c02ac7c53b406f151b012", "b4f9f42252e16d74b19b70e30165dfb5",
     "c330b241b3fe872f2afe6eff31c52dfd"},
    {"labels", "8cfa46180213dabe1b07fc45db5744ce", "e1784a23ade95d59802a738de6111c5d",
     "260d846d733cc696f2e988e40f296e2b", "62d89af80aa091654992fdba397927d4",
     "bd19a4d2819714ab359c3414dc112a8f"},
    {"pyramid", "cec75195453059092460d5f83588e853", "30854470921b9ab1f6d5f98836a447f4",
     "45cdcb6f4a55721a5ca9c5f8646dcbea", "9c8ff1ea1c7067653ddf0c88aed55d16",
     "5c6dd6fc580aa2eda6c1e3365a652c89"},
    {"blocks", "eac4f50c8745000fdc14a61568036aec", "e43dd39a5445cd5d6374d5849373bf95",
     "8e2bbc58d23d8a6d5b3a5e0e176ba490", "9b37c67f5a857800fc54139bbe08a235",
     "19c2faf4814b52aed20b9c7f008e3055"},
    {"leaves", "94141f48622d65441e7e6ad10ff8a914", "a50275dfcf46c0db336c261136ab94ec",
     "6b2fe529cc3f8034a63d74d669d97c52", "92e494a8599dfcb7de44d7a5f1aa22c0",
     "8ec9fc020171302ad341f2821dd587ba"},
};

TEST(SegmentBuilder, GoldenInputsHaveTheHashesOfTheSecondWriter) {
  const std::string folder = test_data("rete-golden");
  if (folder.empty()) {
    GTEST_SKIP() << "no golden files: set WEFT_TESTDATA";
  }
  for (const GoldenSet& set : kGoldenSets) {
    SCOPED_TRACE(set.name);
    const std::string lines = read_whole(folder + "/" + set.name + ".nq");
    BuildOptions options = bare_options();
    EXPECT_EQ(hash_of(lines, options, false), set.bare);
    options.schema = true;
    EXPECT_EQ(hash_of(lines, options, false), set.with_schema);
    options.label_index = true;
    options.text_index.emplace();
    EXPECT_EQ(hash_of(lines, options, false), set.with_schema_labels_text);
    options = bare_options();
    options.six_permutations = false;
    options.quad_clustering = QuadClustering::kOrderMajor;
    EXPECT_EQ(hash_of(lines, options, false), set.three_permutations_order_major);
    options = bare_options();
    options.format_version = 5;
    EXPECT_EQ(hash_of(lines, options, false), set.byte5);
  }
}

// The larger sets of the format document: 2 n triples over n subjects, and a hub.
std::vector<TextQuad> chain_quads(size_t n, bool in_graphs) {
  std::vector<TextQuad> quads;
  const auto name = [](const char* kind, size_t number) {
    return "<http://ex.org/" + std::string(kind) + "/" + std::to_string(number) + ">";
  };
  const auto graph = [&](size_t row) {
    return in_graphs ? name("g", row % 2 == 0 ? 0 : row % 3000) : std::string();
  };
  for (size_t i = 0; i < n; ++i) {
    quads.push_back({name("s", i), name("p", i % 7), name("s", i * 7919 % n), graph(quads.size())});
    quads.push_back({name("s", i), "<http://ex.org/label>", "\"value " + std::to_string(i) + "\"",
                     graph(quads.size())});
  }
  return quads;
}

std::vector<TextQuad> hub_quads() {
  std::vector<TextQuad> quads;
  for (const auto& [subject, count] : {std::pair{"hub", 150000}, std::pair{"a", 3}}) {
    for (int i = 0; i < count; ++i) {
      quads.push_back({"<http://ex.org/" + std::string(subject) + ">", "<http://ex.org/p>",
                       "<http://ex.org/o/" + std::to_string(i) + ">", ""});
    }
  }
  return quads;
}

std::string uncompressed_hash(const std::vector<TextQuad>& quads, BuildOptions options) {
  options.compress = false;
  const auto built = build_segment(quads, options);
  return built.ok() ? built->hash() : built.error().to_string();
}

TEST(SegmentBuilder, LargerSetsHaveTheHashesOfTheSecondWriter) {
  BuildOptions all = bare_options();
  all.schema = true;
  all.label_index = true;
  all.text_index.emplace();
  BuildOptions byte5 = bare_options();
  byte5.format_version = 5;
  const std::vector<TextQuad> chain = chain_quads(50000, false);
  EXPECT_EQ(uncompressed_hash(chain, bare_options()), "54f508473adce34dce065dcd64067278");
  EXPECT_EQ(uncompressed_hash(chain, all), "b3389cc374827dd812cc9f795dcf1617");
  EXPECT_EQ(uncompressed_hash(chain, byte5), "373c333be9b4a9db7eb0deae7f195f0f");
  const std::vector<TextQuad> hub = hub_quads();
  EXPECT_EQ(uncompressed_hash(hub, bare_options()), "a0644adcf40d5fb9f421514fe8044288");
  EXPECT_EQ(uncompressed_hash(hub, all), "10c9d3ce0d1a00bede8798581e3b0a7d");
  EXPECT_EQ(uncompressed_hash(hub, byte5), "d4ca1617aaa5baf21a130e7b71c22776");
  EXPECT_EQ(uncompressed_hash(chain_quads(50000, true), bare_options()),
            "2b69176a18eae8bf8c39e66def1aa4ca");
}

// Small blocks: several leaves, chunks and tiles everywhere. Hashes by the second writer with its
// constants changed (tile, chunk, restart interval).
TEST(SegmentBuilder, SmallBlocksHaveTheHashesOfTheSecondWriter) {
  const std::string folder = test_data("rete-golden");
  if (folder.empty()) {
    GTEST_SKIP() << "no golden files: set WEFT_TESTDATA";
  }
  struct Case {
    const char* name;
    const char* blocks_4096;
    const char* blocks_1024_restart_1;
  };
  constexpr Case kCases[] = {
      {"blocks", "e2704ea4826ebab80f446efbaca9f13b", "2279d81a0d17c4f6ffbf74a19dfda1c7"},
      {"leaves", "14eeeb2dc6cf11708471c33273db8470", "653b6fdb093cf78386577d6b967fe615"},
      {"graphs-many", "6f191c98f7afc8f724d8711b53ae98e7", "3bd0b4af4c9cb237f72028fb4cb846fb"},
      {"terms", "8bc1d4b810c3450f0e416c7336819586", "ff35c6fdeaf475e46d4c5b00f6de1ac0"},
  };
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.name);
    const auto quads = parse_quad_lines(read_whole(folder + "/" + each.name + ".nq"));
    BuildOptions options = bare_options();
    options.schema = true;
    options.label_index = true;
    options.text_index.emplace();
    options.tile_bytes = 4096;
    options.chunk_bytes = 4096;
    EXPECT_EQ(uncompressed_hash(quads, options), each.blocks_4096);
    options.tile_bytes = 1024;
    options.chunk_bytes = 1024;
    options.restart_interval = 1;
    EXPECT_EQ(uncompressed_hash(quads, options), each.blocks_1024_restart_1);
  }
}

}  // namespace
}  // namespace weft::rete
