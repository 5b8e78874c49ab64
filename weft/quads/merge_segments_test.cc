#include "weft/quads/merge_segments.h"

#include <gmock/gmock.h>

#include "weft/storage/memory_store.h"

namespace weft::quads {
namespace {

class MergeSegments : public testing::Test {
 protected:
  std::shared_ptr<rete::Segment> build(const std::string& name,
                                       const std::vector<rdf::QuadView>& quads,
                                       rete::BuildOptions options = {}) {
    auto builder = rete::SegmentBuilder::create(std::move(options), executor_, *scratch_).value();
    EXPECT_TRUE(builder->sink(0).accept(quads).ok());
    return publish(name, *builder);
  }
  std::shared_ptr<rete::Segment> publish(const std::string& name, rete::SegmentBuilder& builder) {
    auto writer = store_.create(name).value();
    EXPECT_TRUE(builder.finish(*writer).ok());
    EXPECT_EQ(writer->publish().value(), storage::PutOutcome::kDone);
    return rete::Segment::open(store_.open(name).value(), {}).value();
  }
  std::shared_ptr<rete::Segment> merge(const std::vector<std::shared_ptr<rete::Segment>>& inputs,
                                       rete::BuildOptions options = {}) {
    EXPECT_TRUE(merge_options(inputs, executor_, options).ok());
    auto builder = rete::SegmentBuilder::create(std::move(options), executor_, *scratch_).value();
    EXPECT_TRUE(merge_into(inputs, executor_, *builder, {}).ok());
    return publish("merged.rete", *builder);
  }

  base::InlineExecutor executor_;
  std::unique_ptr<storage::ScratchSpace> scratch_ = storage::memory_scratch();
  storage::MemoryDisk disk_;
  storage::MemoryStore store_{disk_};
};

const std::vector<rdf::QuadView> kFirst = {{"<a>", "<p>", "<b>", ""}, {"_:x", "<p>", "\"l\"", ""}};
const std::vector<rdf::QuadView> kSecond = {{"<a>", "<p>", "<b>", ""},
                                            {"_:x", "<p>", "<c>", "<g>"}};

TEST_F(MergeSegments, TheResultIsTheSegmentOfAllQuads) {
  std::vector<rdf::QuadView> all = kFirst;
  all.insert(all.end(), kSecond.begin(), kSecond.end());
  const auto merged = merge({build("a.rete", kFirst), build("b.rete", kSecond)});
  EXPECT_EQ(merged->facts().content_hash, build("all.rete", all)->facts().content_hash);
  EXPECT_EQ(merged->facts().quad_count, 3U);
}

TEST_F(MergeSegments, PermutationsAndIndexesAreTheUnion) {
  rete::BuildOptions few;
  few.six_permutations = false;
  rete::BuildOptions labelled = few;
  labelled.text_index = rete::TextIndexScope{};
  rete::BuildOptions result = few;
  const auto plain = build("a.rete", kFirst, few);
  EXPECT_EQ(merge({plain, plain}, few)->facts().permutation_mask, 0x07);
  ASSERT_TRUE(store_.remove("merged.rete").ok());
  const std::vector<std::shared_ptr<rete::Segment>> inputs = {
      plain, build("b.rete", {{"<s>", "<p>", "\"word\"", ""}}, labelled), build("c.rete", kSecond)};
  const auto merged = merge(inputs, result);
  EXPECT_EQ(merged->facts().permutation_mask, 0x3f);
  EXPECT_TRUE(merged->facts().has_text_index);
}

}  // namespace
}  // namespace weft::quads
