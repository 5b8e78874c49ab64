#include "weft/quads/live_rows.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/random.h"

namespace weft::quads {
namespace {

using Quad = std::array<Ordinal, 4>;

OverlayRow row(const Quad& quad, bool insert) {
  return {.subject = quad[0],
          .predicate = quad[1],
          .object = quad[2],
          .graph = quad[3],
          .stamp = insert ? 1U : 0U};
}

// What a pattern matches, by its newest mention.
std::map<Quad, bool> matches(const LiveRows& rows, const rdf::IdPattern& pattern,
                             const LiveRows::Wanted& wanted) {
  std::vector<OverlayRow> found;
  rows.collect(pattern, wanted, 10, found);
  std::map<Quad, std::pair<Stamp, bool>> newest;
  for (const OverlayRow& each : found) {
    auto& known = newest[{each.subject, each.predicate, each.object, each.graph}];
    if (each.stamp >= known.first) {
      known = {each.stamp, adds(each.stamp)};
    }
  }
  std::map<Quad, bool> result;
  for (const auto& [quad, mention] : newest) {
    result[quad] = mention.second;
  }
  return result;
}

TEST(LiveRows, AreWhatAMapOfQuadsIs) {
  base::MemoryBudget budget("test", uint64_t{1} << 30U);
  base::Random random(3);
  std::map<Quad, bool> model;  // differs from the log: true if it was inserted
  auto rows = std::make_shared<const LiveRows>();
  for (int step = 0; step < 2'000; ++step) {
    std::map<Quad, bool> changes;
    for (uint64_t i = 0; i <= random.below(3); ++i) {
      const Quad quad = {
          static_cast<Ordinal>(1 + random.below(12)), static_cast<Ordinal>(1 + random.below(4)),
          static_cast<Ordinal>(1 + random.below(12)), static_cast<Ordinal>(random.below(3))};
      // Of the log are the quads with an even sum.
      const bool in_log = (quad[0] + quad[1] + quad[2] + quad[3]) % 2 == 0;
      const auto known = model.find(quad);
      const bool is_visible = known != model.end() ? known->second : in_log;
      if (!changes.contains(quad)) {
        changes[quad] = !is_visible;
      }
    }
    std::vector<OverlayRow> effective;
    for (const auto& [quad, insert] : changes) {
      effective.push_back(row(quad, insert));
      if (!model.erase(quad)) {
        model[quad] = insert;
      }
    }
    rows = rows->with(effective, LiveRows::Effect::kKnown, budget).value();
  }
  ASSERT_GT(model.size(), 100U);
  EXPECT_LT(rows->run_count(), 12U);
  EXPECT_LT(rows->row_count(), 3 * model.size());
  std::map<Quad, bool> net;
  int64_t balance = 0;
  for (const OverlayRow& each : rows->net()) {
    net[{each.subject, each.predicate, each.object, each.graph}] = adds(each.stamp);
    balance += adds(each.stamp) ? 1 : -1;
  }
  EXPECT_EQ(net, model);
  EXPECT_EQ(rows->net_quads(), balance);
  // Every kind of pattern.
  for (int bound = 0; bound < 8; ++bound) {
    for (const rdf::GraphScope scope :
         {rdf::GraphScope::kDefault, rdf::GraphScope::kOne, rdf::GraphScope::kAllNamed}) {
      const LiveRows::Wanted wanted = {3, 2, 5, 1};
      rdf::IdPattern pattern{.scope = scope, .graph = scope == rdf::GraphScope::kOne ? 1U : 0U};
      pattern.subject = (bound & 1) != 0 ? 103 : 0;
      pattern.predicate = (bound & 2) != 0 ? 102 : 0;
      pattern.object = (bound & 4) != 0 ? 105 : 0;
      std::map<Quad, bool> expected;
      for (const auto& [quad, insert] : model) {
        const bool in_scope = scope == rdf::GraphScope::kDefault ? quad[3] == 0
                              : scope == rdf::GraphScope::kOne   ? quad[3] == 1
                                                                 : quad[3] != 0;
        if (in_scope && (pattern.subject == 0 || quad[0] == 3) &&
            (pattern.predicate == 0 || quad[1] == 2) && (pattern.object == 0 || quad[2] == 5)) {
          expected[quad] = insert;
        }
      }
      std::map<Quad, bool> found = matches(*rows, pattern, wanted);
      // Mentions that took each other back may still stand in two runs; they say what the log says.
      std::erase_if(found, [&](const auto& each) {
        const Quad& quad = each.first;
        const bool in_log = (quad[0] + quad[1] + quad[2] + quad[3]) % 2 == 0;
        return !expected.contains(quad) && each.second == in_log;
      });
      EXPECT_EQ(found, expected) << bound;
      EXPECT_EQ(rows->count(pattern, wanted).rows == 0, matches(*rows, pattern, wanted).empty());
    }
  }
}

TEST(LiveRows, WhatIsTakenBackLeavesNothing) {
  base::MemoryBudget budget("test", uint64_t{1} << 30U);
  auto rows = std::make_shared<const LiveRows>();
  for (Ordinal value = 1; value <= 10'000; ++value) {
    std::vector<OverlayRow> changes = {row({1, 1, value, 0}, true)};
    if (value > 1) {
      changes.push_back(row({1, 1, value - 1, 0}, false));
    }
    rows = rows->with(changes, LiveRows::Effect::kKnown, budget).value();
  }
  EXPECT_LE(rows->row_count(), 4U);
  EXPECT_EQ(rows->net().size(), 1U);
  EXPECT_EQ(rows->net_quads(), 1);
}

TEST(LiveRows, ChangesOfUnknownEffectAreAllKept) {
  base::MemoryBudget budget("test", uint64_t{1} << 30U);
  auto rows = LiveRows().with({row({1, 1, 1, 0}, true)}, LiveRows::Effect::kAny, budget).value();
  rows = rows->with({row({1, 1, 1, 0}, false)}, LiveRows::Effect::kKnown, budget).value();
  // The log may have the quad, so its deletion must stay.
  ASSERT_EQ(rows->net().size(), 1U);
  EXPECT_FALSE(adds(rows->net()[0].stamp));
  EXPECT_EQ(rows->net_quads(), std::nullopt);
}

TEST(LiveRows, MemoryIsReservedAndGivenBack) {
  base::MemoryBudget budget("test", 100'000);
  {
    std::vector<OverlayRow> changes;
    for (Ordinal i = 1; i <= 3'000; ++i) {
      changes.push_back(row({i, 1, 1, 0}, true));
    }
    auto rows = LiveRows().with(changes, LiveRows::Effect::kKnown, budget);
    ASSERT_TRUE(rows.ok());
    EXPECT_GT(budget.used_bytes(), 90'000U);
    EXPECT_EQ((*rows)->with(changes, LiveRows::Effect::kAny, budget).error().kind(),
              ErrorKind::kLimit);
  }
  EXPECT_EQ(budget.used_bytes(), 0U);
}

}  // namespace
}  // namespace weft::quads
