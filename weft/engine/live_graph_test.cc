#include "weft/engine/live_graph.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <sys/time.h>
#include <unistd.h>

#include "weft/engine/graph.h"
#include "weft/exec/query.h"
#include "weft/manifest/manifest_store.h"
#include "weft/quads/dump_fold.h"
#include "weft/rdfio/input.h"
#include "weft/sparql/parser.h"
#include "weft/storage/local_store.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::engine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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

class LiveGraphTest : public testing::Test {
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

TEST_F(LiveGraphTest, AnUpdateIsSeenAtOnceAndAfterARestart) {
  auto graph = open();
  const UpdateReceipt receipt = update(*graph, "INSERT DATA { <x:a> <x:p> 1, 2 }");
  EXPECT_EQ(receipt.inserted, 2U);
  EXPECT_EQ(receipt.removed, 0U);
  const std::multiset<std::string> both = {
      "<x:a> <x:p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "<x:a> <x:p> \"2\"^^<http://www.w3.org/2001/XMLSchema#integer>"};
  EXPECT_EQ(quads(*graph), both);
  EXPECT_EQ(on_disk(), both);
  graph.reset();
  graph = open();
  EXPECT_EQ(quads(*graph), both);
  EXPECT_EQ(graph->snapshot()->tag(), receipt.tag);
}

TEST_F(LiveGraphTest, CountsSayWhatReallyChanged) {
  const auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
  const UpdateReceipt again = update(*graph, "INSERT DATA { <x:a> <x:p> <x:b>, <x:c> }");
  EXPECT_EQ(again.inserted, 1U);
  const UpdateReceipt none = update(*graph, "DELETE DATA { <x:a> <x:p> <x:nothing> }");
  EXPECT_EQ(none.removed, 0U);
  EXPECT_EQ(none.tag, again.tag);
  const UpdateReceipt back = update(
      *graph, "INSERT DATA { <x:a> <x:p> <x:d> } ; DELETE DATA { <x:a> <x:p> <x:d>, <x:c> }");
  EXPECT_EQ(back.inserted, 0U);
  EXPECT_EQ(back.removed, 1U);
  const UpdateReceipt swapped =
      update(*graph, "DELETE { ?s ?p ?o } INSERT { ?s ?p ?o } WHERE { ?s ?p ?o }");
  EXPECT_EQ(swapped.inserted + swapped.removed, 0U);
  EXPECT_THAT(quads(*graph), ElementsAre("<x:a> <x:p> <x:b>"));
  EXPECT_EQ(graph->snapshot()->quad_count({}).value(), 1U);
}

TEST_F(LiveGraphTest, AFailingOperationUndoesTheWholeRequest) {
  auto graph = open();
  const auto failed =
      graph->update("INSERT DATA { <x:a> <x:p> <x:b> } ; LOAD <http://no.example/>", {});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind(), ErrorKind::kDenied);
  EXPECT_THAT(quads(*graph), IsEmpty());
  // The same insert afterwards is not taken for something that is there already.
  EXPECT_EQ(update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }").inserted, 1U);
  graph.reset();
  EXPECT_THAT(on_disk(), ElementsAre("<x:a> <x:p> <x:b>"));
}

TEST_F(LiveGraphTest, ASnapshotKeepsItsState) {
  const auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
  const auto pinned = graph->snapshot();
  for (int i = 0; i < 1'000; ++i) {
    update(*graph, "INSERT DATA { <x:a> <x:q> " + std::to_string(i) + " }");
  }
  ASSERT_TRUE(graph->seal({}).ok());
  update(*graph, "CLEAR ALL");
  EXPECT_THAT(quads(pinned->fold()), ElementsAre("<x:a> <x:p> <x:b>"));
  EXPECT_THAT(quads(*graph), IsEmpty());
}

TEST_F(LiveGraphTest, GraphsAreManaged) {
  const auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> 'd' GRAPH <x:g> { <x:a> <x:p> 'g' } }");
  update(*graph, "COPY <x:g> TO <x:h>");
  EXPECT_THAT(quads(*graph), Contains("<x:a> <x:p> \"g\" <x:h>"));
  update(*graph, "MOVE DEFAULT TO <x:h>");
  EXPECT_THAT(quads(*graph), ElementsAre("<x:a> <x:p> \"d\" <x:h>", "<x:a> <x:p> \"g\" <x:g>"));
  update(*graph, "ADD <x:g> TO <x:h>");
  EXPECT_THAT(quads(*graph), SizeIs(3));
  EXPECT_EQ(graph->update("CREATE GRAPH <x:g>", {}).error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(graph->update("COPY <x:no> TO <x:g>", {}).error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(quads(*graph), SizeIs(3));
  update(*graph, "DROP NAMED");
  EXPECT_THAT(quads(*graph), IsEmpty());
}

TEST_F(LiveGraphTest, BlankNodesOfUpdatesNeverMeet) {
  auto graph = open();
  for (int round = 0; round < 2; ++round) {
    update(*graph, "INSERT DATA { _:x <x:p> 'data' }");
    update(*graph, "INSERT { _:x <x:q> ?o } WHERE { ?s <x:p> ?o }");
    graph.reset();
    graph = open();
  }
  std::set<std::string> subjects;
  for (const std::string& line : quads(*graph)) {
    subjects.insert(line.substr(0, line.find(' ')));
  }
  EXPECT_THAT(subjects, SizeIs(2 + 1 + 2));
}

TEST_F(LiveGraphTest, TheSecondWriterIsToldOfTheFirstAndMayRead) {
  LiveOptions options;
  options.holder = "weft serve :8080";
  const auto first = open(options);
  update(*first, "INSERT DATA { <x:a> <x:p> <x:b> }");
  const auto second = LiveGraph::open(*environment_, target(), {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(std::string(second.error().fact("holder")), HasSubstr("weft serve :8080"));
  LiveOptions reading;
  reading.access = Access::kReadOnly;
  const auto reader = open(reading);
  EXPECT_THAT(quads(*reader), SizeIs(1));
  EXPECT_EQ(reader->update("CLEAR ALL", {}).error().kind(), ErrorKind::kDenied);
  update(*first, "INSERT DATA { <x:a> <x:p> <x:c> }");
  ASSERT_TRUE(reader->refresh().ok());
  EXPECT_THAT(quads(*reader), SizeIs(2));
  ASSERT_TRUE(first->seal({}).ok());
  update(*first, "INSERT DATA { <x:a> <x:p> <x:d> }");
  ASSERT_TRUE(reader->refresh().ok());
  EXPECT_THAT(quads(*reader), SizeIs(3));
}

TEST_F(LiveGraphTest, SealingTurnsTheJournalIntoASegmentAndChangesNothing) {
  auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b>, <x:c> GRAPH <x:g> { <x:a> <x:p> 1 } }");
  const UpdateReceipt last = update(*graph, "DELETE DATA { <x:a> <x:p> <x:b> }");
  const std::multiset<std::string> before = quads(*graph);
  const auto sealed = graph->seal({});
  ASSERT_TRUE(sealed.ok()) << sealed.error().to_string();
  EXPECT_TRUE(sealed->sealed);
  EXPECT_EQ(sealed->added_quads, 2U);
  EXPECT_EQ(sealed->deleted_quads, 0U);
  EXPECT_EQ(quads(*graph), before);
  EXPECT_EQ(on_disk(), before);
  EXPECT_EQ(graph->snapshot()->tag(), last.tag);
  EXPECT_EQ(graph->facts().journal_bytes, 0U);
  EXPECT_FALSE(graph->seal({})->sealed);
  // A deletion of what is sealed.
  update(*graph, "DELETE DATA { <x:a> <x:p> <x:c> }");
  EXPECT_EQ(graph->seal({})->deleted_quads, 1U);
  graph.reset();
  graph = open();
  EXPECT_THAT(quads(*graph), SizeIs(1));
  const auto compacted = graph->compact({});
  ASSERT_TRUE(compacted.ok()) << compacted.error().to_string();
  EXPECT_EQ(graph->facts().log_entries, 1U);
  EXPECT_THAT(quads(*graph), SizeIs(1));
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:new> }");
  EXPECT_THAT(on_disk(), SizeIs(2));
}

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

TEST_F(LiveGraphTest, AnAddOfAnotherProcessIsNoticed) {
  const auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
  ASSERT_TRUE(graph->seal({}).ok());
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:c> }");
  const std::string before = graph->snapshot()->tag();
  // Another process names the same segment once more, as a deletion.
  manifest::ManifestStore manifests(*store_, "m.json", clock_);
  base::Random random(1);
  ASSERT_TRUE(manifests
                  .update(
                      [](manifest::Manifest& current) {
                        return current.append({.adds = {}, .dels = current.log()[0].adds});
                      },
                      random)
                  .ok());
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:d> }");
  EXPECT_THAT(quads(*graph), ElementsAre("<x:a> <x:p> <x:c>", "<x:a> <x:p> <x:d>"));
  EXPECT_NE(graph->snapshot()->tag().substr(0, 3), before.substr(0, 3));
  EXPECT_EQ(on_disk(), quads(*graph));
}

TEST_F(LiveGraphTest, ASealThatTheManifestForgotIsNotRevived) {
  auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
  const std::string journal = to_text(store_->get("m.json.changes", 10'000)->bytes.view());
  ASSERT_TRUE(graph->seal({}).ok());
  graph.reset();
  // As after a crash before the journal was cut, and a rete that dropped the members it did not
  // know and deleted the quad.
  const auto empty = store_->get("m.json.changes", 10'000).value();
  ASSERT_TRUE(store_->put_if_match("m.json.changes", as_bytes(journal), empty.etag).ok());
  const auto current = store_->get("m.json", 100'000).value();
  auto document = json::parse(as_text(current.bytes.view())).value();
  document.remove("weft");
  auto forgotten = manifest::Manifest::parse(json::write(document)).value();
  ASSERT_TRUE(forgotten.append({.adds = {}, .dels = forgotten.log()[0].adds}).ok());
  ASSERT_EQ(store_->put_if_match("m.json", as_bytes(forgotten.text()), current.etag).value(),
            storage::PutOutcome::kDone);
  EXPECT_THAT(on_disk(), IsEmpty());
  graph = open();
  EXPECT_THAT(quads(*graph), IsEmpty());
}

TEST_F(LiveGraphTest, ConditionalUpdatesAreRefusedOnAnotherState) {
  const auto graph = open();
  UpdateOptions options;
  options.if_tag = graph->snapshot()->tag();
  ASSERT_TRUE(graph->update("INSERT DATA { <x:a> <x:p> <x:b> }", options).ok());
  EXPECT_EQ(graph->update("CLEAR ALL", options).error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(quads(*graph), SizeIs(1));
}

TEST_F(LiveGraphTest, DocumentsAreLoadedAndReplaceGraphs) {
  const auto graph = open();
  const auto load = [&](std::string_view text, const std::string& name, bool replace) {
    codec::MemoryInputView input(text);
    LoadRequest request;
    request.input = &input;
    request.graph = name;
    request.replace = replace;
    return graph->load(request, {});
  };
  EXPECT_EQ(load("<x:a> <x:p> 1, 2, _:b .", "x:g", false)->inserted, 3U);
  const auto replaced = load("<x:a> <x:p> 2, 3 .", "x:g", true);
  ASSERT_TRUE(replaced.ok());
  EXPECT_EQ(replaced->inserted, 1U);
  EXPECT_EQ(replaced->removed, 2U);
  EXPECT_EQ(load("<x:a> <x:p> ", "x:g", true).error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(quads(*graph), SizeIs(2));
  EXPECT_EQ(graph->drop("x:g", {})->removed, 2U);
  EXPECT_EQ(graph->drop("x:g", {}).error().kind(), ErrorKind::kNotFound);
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

TEST_F(LiveGraphTest, ASingleSegmentIsWrittenThroughItsJournal) {
  {
    const auto graph = open();
    update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
    ASSERT_TRUE(graph->compact({}).ok());
  }
  std::string file;
  for (const auto& object : store_->list("", false).value()) {
    file = object.name.ends_with(".rete") ? object.name : file;
  }
  auto graph = LiveGraph::open(*environment_, folder_ / file, {}).value();
  update(*graph, "DELETE DATA { <x:a> <x:p> <x:b> } ; INSERT DATA { <x:a> <x:p> <x:c> }");
  EXPECT_EQ(graph->seal({}).error().kind(), ErrorKind::kUnsupported);
  graph = nullptr;
  graph = LiveGraph::open(*environment_, folder_ / file, {}).value();
  EXPECT_THAT(quads(*graph), ElementsAre("<x:a> <x:p> <x:c>"));
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

class LiveGraphThreads : public LiveGraphTest {};

TEST_F(LiveGraphThreads, ReadModifyWriteIsSerialisable) {
  const auto graph = open();
  update(*graph, "INSERT DATA { <x:counter> <x:value> 0 }");
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) {
        const auto receipt = graph->update(
            "DELETE { <x:counter> <x:value> ?v } INSERT { <x:counter> <x:value> ?w }"
            "WHERE { <x:counter> <x:value> ?v BIND (?v + 1 AS ?w) }",
            {});
        ASSERT_TRUE(receipt.ok()) << receipt.error().to_string();
        ASSERT_EQ(receipt->inserted, 1U);
        ASSERT_EQ(receipt->removed, 1U);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const std::string value =
      "<x:counter> <x:value> \"3200\"^^<http://www.w3.org/2001/XMLSchema#integer>";
  EXPECT_THAT(quads(*graph), ElementsAre(value));
  EXPECT_LE(graph->facts().overlay_rows, 1U);
  EXPECT_THAT(on_disk(), ElementsAre(value));
}

TEST_F(LiveGraphThreads, SealsAndCompactionsLoseNoUpdate) {
  const auto graph = open();
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 100; ++k) {
        const auto receipt = graph->update(
            "INSERT DATA { <x:t" + std::to_string(i) + "> <x:n> " + std::to_string(k) + " }", {});
        ASSERT_TRUE(receipt.ok()) << receipt.error().to_string();
        ASSERT_EQ(receipt->inserted, 1U);
      }
    });
  }
  threads.emplace_back([&] {
    for (int round = 0; !done; ++round) {
      const auto sealed = round % 3 == 2 ? graph->compact({}) : graph->seal({});
      ASSERT_TRUE(sealed.ok()) << sealed.error().to_string();
      const auto state = graph->snapshot();
      EXPECT_EQ(quads(state->fold()).size(), state->quad_count({}).value());
    }
  });
  for (int i = 0; i < 4; ++i) {
    threads[static_cast<size_t>(i)].join();
  }
  done = true;
  threads.back().join();
  EXPECT_THAT(quads(*graph), SizeIs(400));
  EXPECT_THAT(on_disk(), SizeIs(400));
}

}  // namespace
}  // namespace weft::engine
