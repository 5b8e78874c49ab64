#include "weft/quads/ingest.h"

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

#include "weft/storage/memory_store.h"

namespace weft::quads {
namespace {

class IngestTest : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "/weft-ingest-" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  Result<IngestReport> build(const std::vector<std::string>& documents,
                             const IngestOptions& options, const std::string& name) {
    rete::BuildOptions how;
    how.memory_bytes = uint64_t{64} << 20U;
    return build_segment_of(documents, options, how, executor_, *scratch_, store_, name);
  }
  std::string hash(const std::vector<std::string>& documents, const IngestOptions& options = {}) {
    const auto report = build(documents, options, "s" + std::to_string(built_++) + ".rete");
    return report.ok() ? codec::to_hex(report->build.content_hash) : report.error().to_string();
  }

  base::ThreadPool executor_{2};
  std::unique_ptr<storage::ScratchSpace> scratch_ = storage::memory_scratch();
  storage::MemoryDisk disk_;
  storage::MemoryStore store_{disk_};
  int built_ = 0;
};
using IngestThreads = IngestTest;

constexpr const char* kTriples =
    "<http://ex/a> <http://ex/p> <http://ex/b> .\n"
    "<http://ex/b> <http://ex/p> \"x\" .\n";

TEST_F(IngestThreads, SyntaxesOfTheSameStatementsGiveTheSameBytes) {
  const std::string turtle = file("a.ttl",
                                  "@prefix e: <http://ex/> .\n"
                                  "e:a e:p e:b . e:b e:p \"x\" .\n");
  EXPECT_EQ(hash({turtle}), hash({file("a.nt", kTriples)}));
  EXPECT_EQ(hash({turtle, file("b.nq", kTriples)}), hash({turtle}));
}

TEST_F(IngestThreads, BlankNodesOfTwoDocumentsNeverMeet) {
  const std::string one = file("one.nt", "_:x <http://ex/p> \"1\" .\n");
  const std::string two = file("two.nt", "_:x <http://ex/p> \"2\" .\n");
  const auto scoped = build({one, two, one}, {}, "scoped.rete");
  ASSERT_TRUE(scoped.ok()) << scoped.error().to_string();
  EXPECT_EQ(scoped->build.terms, 5U);  // two nodes, two literals, a predicate
  EXPECT_EQ(scoped->build.duplicates, 1U);
  IngestOptions keep;
  keep.blank_nodes = BlankNodeScope::kKeep;
  const auto kept = build({one, two}, keep, "kept.rete");
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->build.terms, 4U);
}

TEST_F(IngestThreads, GraphsCanBeCollapsed) {
  const std::string path =
      file("g.nq", "<http://ex/a> <http://ex/p> <http://ex/b> <http://ex/g> .\n");
  IngestOptions options;
  options.collapse_graphs = true;
  const auto report = build({path}, options, "collapsed.rete");
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  EXPECT_EQ(report->build.graphs, 0U);
  EXPECT_EQ(report->build.default_triples, 1U);
}

TEST_F(IngestThreads, ErrorsNameTheFileAndNothingIsPublished) {
  const std::string bad = file("bad.nt", std::string(kTriples) + "<http://ex/a> broken .\n");
  const auto report = build({bad}, {}, "bad.rete");
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind(), ErrorKind::kInvalid);
  EXPECT_NE(report.error().fact("file").find("bad.nt"), std::string_view::npos);
  EXPECT_FALSE(store_.get("bad.rete", UINT64_MAX).ok());

  IngestOptions lenient;
  lenient.parse.lenient = true;
  const auto skipped = build({bad}, lenient, "skipped.rete");
  ASSERT_TRUE(skipped.ok()) << skipped.error().to_string();
  EXPECT_EQ(skipped->skipped, 1U);
  EXPECT_EQ(skipped->build.default_triples, 2U);
}

TEST_F(IngestThreads, ATakenNameIsRefused) {
  const std::string path = file("taken.nt", kTriples);
  ASSERT_TRUE(build({path}, {}, "taken.rete").ok());
  const auto again = build({path}, {}, "taken.rete");
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().kind(), ErrorKind::kAlreadyExists);
}

TEST_F(IngestThreads, AnUnknownExtensionAsksForTheFormat) {
  const auto report = build({file("data.bin", kTriples)}, {}, "x.rete");
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind(), ErrorKind::kInvalid);
  IngestOptions options;
  options.format = rdfio::Format::kNTriples;
  EXPECT_TRUE(build({file("data.bin", kTriples)}, options, "x.rete").ok());
}

TEST(BlankNodePrefixes, AreAFunctionOfTheDigest) {
  const std::string prefix = blank_node_prefix(codec::Digest16{});
  EXPECT_EQ(prefix, "w" + std::string(26, 'a') + "_");
  EXPECT_TRUE(rdfio::is_weft_label(prefix + "x"));
  EXPECT_NE(blank_node_prefix(codec::blake3_16({})), prefix);
}

}  // namespace
}  // namespace weft::quads
