// Large updates, and what a live graph does on the side: seal, compact, sweep.
#include <array>

#include <gmock/gmock.h>
#include <sys/time.h>

#include "weft/engine/testing/live_graph_fixture.h"
#include "weft/rdfio/input.h"

namespace weft::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(LiveGraphTest, ALargeUpdateBecomesASegmentInOneStep) {
  LiveOptions options;
  options.large_update_changes = 100;
  auto graph = open(options);
  update(*graph, "INSERT DATA { <x:a> <x:p> 'small' }");
  std::string large = "INSERT DATA {";
  for (int i = 0; i < 500; ++i) {
    large += "<x:s" + std::to_string(i) + "> <x:p> 'large' . ";
  }
  const UpdateReceipt receipt = update(*graph, large + "}");
  EXPECT_EQ(receipt.inserted, 500U);
  EXPECT_EQ(graph->facts().journal_bytes, 0U);
  EXPECT_THAT(quads(*graph), SizeIs(501));
  update(*graph, "INSERT DATA { <x:b> <x:p> 'small' }");
  graph.reset();
  EXPECT_THAT(on_disk(), SizeIs(502));
}

TEST_F(LiveGraphTest, ALargeDocumentBecomesASegmentAndReplacesInOneStep) {
  LiveOptions options;
  options.large_update_changes = 100;
  auto graph = open(options);
  update(*graph, "INSERT DATA { <x:a> <x:p> 'small' GRAPH <x:g> { <x:s0> <x:p> 'old', 'new' } }");
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "<x:s" + std::to_string(i) + "> <x:p> \"new\" .\n";
  }
  const auto load = [&](bool replace) {
    codec::MemoryInputView input(text);
    LoadRequest request;
    request.input = &input;
    request.format = rdfio::Format::kNTriples;
    request.graph = "x:g";
    request.replace = replace;
    return graph->load(request, {});
  };
  const auto merged = load(false);
  ASSERT_TRUE(merged.ok()) << merged.error().to_string();
  EXPECT_EQ(merged->inserted, 299U);
  EXPECT_EQ(merged->removed, 0U);
  EXPECT_EQ(graph->snapshot()->tag(), merged->tag);
  const auto replaced = load(true);
  ASSERT_TRUE(replaced.ok()) << replaced.error().to_string();
  EXPECT_EQ(replaced->inserted, 0U);
  EXPECT_EQ(replaced->removed, 1U);
  EXPECT_THAT(quads(*graph), SizeIs(301));
  update(*graph, "INSERT DATA { <x:b> <x:p> 'small' }");
  graph.reset();
  EXPECT_THAT(on_disk(), SizeIs(302));
}

TEST_F(LiveGraphTest, MaintenanceSealsCompactsAndSweeps) {
  LiveOptions options;
  options.policy.seal_changes = 10;
  options.policy.sweep_after_ms = 0;
  const auto graph = open(options);
  for (int round = 0; round < 20; ++round) {
    std::string text = "CLEAR ALL ; INSERT DATA {";
    for (int i = 0; i < 20; ++i) {
      text += "<x:s> <x:p" + std::to_string(i) + "> " + std::to_string(round) + " . ";
    }
    update(*graph, text + "}");
    const Status maintained = graph->maintain({});
    ASSERT_TRUE(maintained.ok()) << maintained.error().to_string();
  }
  EXPECT_THAT(quads(*graph), SizeIs(20));
  EXPECT_EQ(on_disk(), quads(*graph));
  size_t segments = 0;
  for (const auto& object : store_->list("", true).value()) {
    segments += object.name.ends_with(".rete") ? 1 : 0;
  }
  EXPECT_LE(segments, 4U);
}

TEST_F(LiveGraphTest, WhatWasNeverNamedIsSparedForADay) {
  LiveOptions options;
  options.policy.sweep_after_ms = 0;
  const auto graph = open(options);
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
  ASSERT_TRUE(graph->seal({}).ok());
  // As another process makes it before it publishes.
  const std::string name = "m-g7-0123abcd.rete";
  ASSERT_TRUE(store_->put_if_absent(name, as_bytes(std::string("a segment"))).ok());
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(graph->maintain({}).ok());
  }
  EXPECT_TRUE(store_->get(name, 100).ok());
  const int64_t day_ago = (clock_.now().microseconds / 1'000'000) - 24 * 3'600 - 60;
  const timeval old{.tv_sec = day_ago, .tv_usec = 0};
  const std::array<timeval, 2> times = {old, old};
  ASSERT_EQ(::utimes((folder_ / name).c_str(), times.data()), 0);
  ASSERT_TRUE(graph->maintain({}).ok());
  EXPECT_EQ(store_->get(name, 100).error().kind(), ErrorKind::kNotFound);
}

TEST_F(LiveGraphTest, ReplacingAGraphKeepsTheDiskSmall) {
  LiveOptions options;
  options.large_update_changes = 1'000;
  const auto graph = open(options);
  uint64_t live = 0;
  for (int round = 0; round < 10; ++round) {
    std::string text;
    for (int i = 0; i < 2'000; ++i) {
      text += "<x:s" + std::to_string(i) + "> <x:p> \"" + std::to_string(round) + "\" .\n";
    }
    codec::MemoryInputView input(text);
    LoadRequest request;
    request.input = &input;
    request.graph = "x:g";
    request.replace = true;
    const auto replaced = graph->load(request, {});
    ASSERT_TRUE(replaced.ok()) << replaced.error().to_string();
    EXPECT_EQ(replaced->inserted, 2'000U);
    EXPECT_EQ(replaced->removed, round == 0 ? 0U : 2'000U);
    ASSERT_TRUE(graph->maintain({}).ok());
    uint64_t bytes = 0;
    for (const auto& object : store_->list("", true).value()) {
      bytes += object.size;
    }
    live = round == 0 ? bytes : live;
    EXPECT_LE(bytes, 3 * live) << round;
  }
  EXPECT_THAT(quads(*graph), SizeIs(2'000));
  EXPECT_THAT(on_disk(), SizeIs(2'000));
}

// Other quads stay, no tombstones come, and there is room without a look-around.
TEST_F(LiveGraphTest, ReplacingMostOfTheQuadsWritesTheRestAnew) {
  LiveOptions options;
  options.large_update_changes = 1'000;
  const auto graph = open(options);
  ASSERT_TRUE(
      graph->update("INSERT DATA { <x:a> <x:p> 1 . GRAPH <x:other> { <x:b> <x:p> 2 } }", {}).ok());
  uint64_t live = 0;
  for (int round = 0; round < 8; ++round) {
    std::string text;
    for (int i = 0; i < 2'000; ++i) {
      text += "<x:s" + std::to_string(i) + "> <x:p> \"" + std::to_string(round) + "\" .\n";
    }
    codec::MemoryInputView input(text);
    LoadRequest request;
    request.input = &input;
    request.graph = "x:g";
    request.replace = true;
    const auto replaced = graph->load(request, {});
    ASSERT_TRUE(replaced.ok()) << replaced.error().to_string();
    EXPECT_EQ(replaced->inserted, 2'000U);
    EXPECT_EQ(replaced->removed, round == 0 ? 0U : 2'000U);
    uint64_t bytes = 0;
    for (const auto& object : store_->list("", true).value()) {
      bytes += object.size;
      EXPECT_EQ(object.name.find(".tomb."), std::string::npos) << object.name;
    }
    live = round == 0 ? bytes : live;
    EXPECT_LE(bytes, 3 * live) << round;
  }
  EXPECT_THAT(quads(*graph), SizeIs(2'002));
  EXPECT_THAT(on_disk(), SizeIs(2'002));
}

TEST_F(LiveGraphTest, ALargeUpdateThatClearsLeavesAnEmptyLog) {
  LiveOptions options;
  options.large_update_changes = 100;
  auto graph = open(options);
  std::string text = "INSERT DATA {";
  for (int i = 0; i < 200; ++i) {
    text += "<x:s" + std::to_string(i) + "> <x:p> 'v' . ";
  }
  update(*graph, text + "}");
  EXPECT_EQ(update(*graph, "CLEAR ALL").removed, 200U);
  EXPECT_EQ(graph->facts().log_entries, 0U);
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
  graph.reset();
  EXPECT_THAT(on_disk(), ElementsAre("<x:a> <x:p> <x:b>"));
}

}  // namespace
}  // namespace weft::engine
