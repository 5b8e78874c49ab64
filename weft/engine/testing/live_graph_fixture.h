// A live graph over an empty manifest in a folder of its own, and what is in it.
#pragma once

#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "weft/engine/graph.h"
#include "weft/engine/live_graph.h"
#include "weft/manifest/manifest_store.h"
#include "weft/quads/dump_fold.h"
#include "weft/storage/local_store.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::engine {

struct LineSink final : rdf::QuadSink {
  std::multiset<std::string> lines;
  Status accept(std::span<const rdf::QuadView> quads) override {
    for (const rdf::QuadView& quad : quads) {
      std::string line = std::string(quad.subject) + " " + std::string(quad.predicate) + " " +
                         std::string(quad.object);
      lines.insert(quad.graph.empty() ? line : line + " " + std::string(quad.graph));
    }
    return ok_status();
  }
};

class LiveGraphTest : public ::testing::Test {
 protected:
  void SetUp() override {
    environment_ = std::make_unique<Environment>(executor_, clock_, EnvironmentOptions{});
    store_ = storage::open_local_store(folder_.path()).value();
    manifest::ManifestStore manifests(*store_, "m.json", clock_);
    ASSERT_TRUE(manifests.create(manifest::Manifest::create("m", {})).ok());
  }
  std::string target() const { return folder_ / "m.json"; }
  std::unique_ptr<LiveGraph> open(LiveOptions options = {}) {
    auto graph = LiveGraph::open(*environment_, target(), options);
    EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().to_string());
    return graph.ok() ? std::move(graph).value() : nullptr;
  }
  static std::multiset<std::string> quads(quads::Fold& fold) {
    LineSink sink;
    EXPECT_TRUE(quads::dump_fold(fold, sink, {}, {}).ok());
    return sink.lines;
  }
  static std::multiset<std::string> quads(LiveGraph& graph) {
    return quads(graph.snapshot()->fold());
  }
  // As another process sees it.
  std::multiset<std::string> on_disk() {
    const auto graph = Graph::open(*environment_, target());
    EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().to_string());
    return graph.ok() ? quads((*graph)->fold()) : std::multiset<std::string>{"cannot be opened"};
  }
  static UpdateReceipt update(LiveGraph& graph, std::string_view text) {
    const auto receipt = graph.update(text, {});
    EXPECT_TRUE(receipt.ok()) << text << (receipt.ok() ? "" : receipt.error().to_string());
    return receipt.ok() ? *receipt : UpdateReceipt{};
  }

  storage::TestFolder folder_;
  base::ThreadPool executor_{2};
  base::SystemClock clock_;
  std::unique_ptr<Environment> environment_;
  std::unique_ptr<storage::ObjectStore> store_;
};

}  // namespace weft::engine
