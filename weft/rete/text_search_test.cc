#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/rete/segment.h"
#include "weft/rete/testing/segment_maker.h"
#include "weft/rete/testing/segment_probe.h"

namespace weft::rete {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

std::string subject(size_t number) {
  return "<http://e/" + std::to_string(1'000'000 + number) + ">";
}

std::shared_ptr<Segment> segment_of(const std::vector<std::string>& values,
                                    bool with_index = true) {
  std::vector<QuadText> quads;
  for (size_t i = 0; i < values.size(); ++i) {
    quads.push_back({subject(i), "<http://e/p>", "\"" + values[i] + "\"", ""});
  }
  BuildOptions options;
  if (with_index) {
    options.text_index.emplace();
  }
  auto segment = Segment::open(bytes_reader(make_segment(quads, options)), {});
  EXPECT_TRUE(segment.ok());
  return segment.ok() ? std::move(segment).value() : nullptr;
}

// Numbers of the values whose subjects are found.
std::optional<std::vector<size_t>> found(Segment& segment, const rdf::TextNeed& need,
                                         uint64_t subjects_max = 1'000'000) {
  const auto nodes = segment.subjects_with_text({&need, 1}, subjects_max, {});
  EXPECT_TRUE(nodes.ok());
  if (!nodes.ok() || !nodes->has_value()) {
    return std::nullopt;
  }
  TokenTable tokens;
  EXPECT_TRUE(segment.tokens_of(**nodes, {}, tokens, {}).ok());
  std::vector<size_t> numbers;
  for (size_t i = 0; i < tokens.size(); ++i) {
    numbers.push_back(std::stoul(std::string(tokens[i].substr(10))) - 1'000'000);
  }
  return numbers;
}

TEST(TextSearch, FindsPartsOfWordsAnywhereAtTheirBeginAndAtTheirEnd) {
  const auto segment =
      segment_of({"alphabet", "The alpha", "betalpha", "beta", "ALPHABETIC order"});
  EXPECT_THAT(found(*segment, {.text = "alpha"}), Optional(ElementsAre(0, 1, 2, 4)));
  EXPECT_THAT(found(*segment, {.text = " alpha"}), Optional(ElementsAre(0, 1, 4)));
  EXPECT_THAT(found(*segment, {.text = "alpha."}), Optional(ElementsAre(1, 2)));
  EXPECT_THAT(found(*segment, {.text = "-alpha-"}), Optional(ElementsAre(1)));
  EXPECT_THAT(found(*segment, {.text = "phabe"}), Optional(ElementsAre(0, 4)));
  EXPECT_THAT(found(*segment, {.text = "gamma"}), Optional(IsEmpty()));
  EXPECT_THAT(found(*segment, {.text = "zz zz"}), Optional(IsEmpty()));
  EXPECT_THAT(found(*segment, {.text = " aa aa "}), Optional(IsEmpty()));
}

TEST(TextSearch, SaysNothingWithoutAnIndexOrAWordOrIfThereAreTooMany) {
  const std::vector<std::string> values(500, "same words everywhere");
  std::vector<std::string> numbered;
  for (size_t i = 0; i < values.size(); ++i) {
    numbered.push_back(values[i] + " " + std::to_string(10'000 + i));
  }
  const auto segment = segment_of(numbered);
  EXPECT_EQ(found(*segment, {.text = "s w"}), std::nullopt);
  EXPECT_EQ(found(*segment, {.text = "everywhere"}, 499), std::nullopt);
  EXPECT_EQ(found(*segment, {.text = "everywhere"}, 100), std::nullopt);
  EXPECT_EQ(found(*segment, {.text = "everywhere"}, 500)->size(), 500U);
  EXPECT_THAT(found(*segment, {.text = "everywhere 10321"}, 100), Optional(ElementsAre(321)));
  EXPECT_EQ(found(*segment_of(numbered, false), {.text = "everywhere"}), std::nullopt);
}

// Many leaves: words that lie across their borders, first and last words.
TEST(TextSearch, EveryWordOfManyLeavesIsFoundByItsParts) {
  std::vector<std::string> values;
  for (size_t i = 0; i < 40'000; ++i) {
    values.push_back("w" + std::to_string(1'000'000 + i * 7'919 % 1'000'003) + "x");
  }
  const auto segment = segment_of(values);
  for (size_t i = 0; i < values.size(); i += 397) {
    std::vector<size_t> within;
    std::vector<size_t> at_begin;
    const std::string middle = values[i].substr(1, values[i].size() - 2);
    const std::string front = values[i].substr(0, values[i].size() - 1);
    for (size_t k = 0; k < values.size(); ++k) {
      if (values[k].find(middle) != std::string::npos) {
        within.push_back(k);
      }
      if (values[k].starts_with(front)) {
        at_begin.push_back(k);
      }
    }
    EXPECT_EQ(found(*segment, {.text = middle}), within) << middle;
    EXPECT_EQ(found(*segment, {.text = front, .at_start = true}), at_begin) << front;
    EXPECT_THAT(found(*segment, {.text = values[i], .at_start = true, .at_end = true}),
                Optional(ElementsAre(i)));
  }
}

}  // namespace
}  // namespace weft::rete
