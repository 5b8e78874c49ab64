// Every call that changes a graph asks who it is and whether they may, before anything is done.
#include "weft/graph/authority.h"

#include <gtest/gtest.h>

#include "weft/codec/stream.h"
#include "weft/gqexec/mutation.h"
#include "weft/graph/branch.h"
#include "weft/graph/cleanup.h"
#include "weft/graph/create.h"
#include "weft/graph/lance_version.h"
#include "weft/graph/load.h"
#include "weft/graph/repair.h"
#include "weft/graph/repair_paths.h"
#include "weft/graph/testing/graph_place.h"

namespace weft::gqexec {
namespace {

using graph::Authority;

constexpr std::string_view kRow = R"({"type":"Person","data":{"name":"Ada"}})";

// Allows everything but one action, and notes what it was asked.
class AllBut final : public graph::Policy {
 public:
  explicit AllBut(graph::Action action) : action_(action) {}
  Status allow(const graph::PolicyRequest& request) const override {
    ++asked_;
    EXPECT_EQ(request.actor, "eve");
    return request.action == action_ ? Status(Error(ErrorKind::kDenied, "not you")) : ok_status();
  }
  size_t asked() const { return asked_; }

 private:
  graph::Action action_;
  mutable size_t asked_ = 0;
};

class AuthorityTest : public ::testing::Test, protected graph::GraphPlace {
 protected:
  void SetUp() override {
    ASSERT_TRUE(graph::create_graph(place(), ana(), {.schema_text = kPeople}).ok());
    ASSERT_TRUE(graph::create_branch(place(), ana(), "old").ok());
  }
  // The kind of error of each mutating call, kInternal for none.
  ErrorKind outcome(graph::Action action, const Authority& authority) {
    switch (action) {
      case graph::Action::kInit:
        return kind_of(graph::create_graph(place(), authority, {.schema_text = kPeople}));
      case graph::Action::kLoad: {
        codec::MemoryInputView input(kRow);
        return kind_of(graph::load(place(), authority, {}, input, {}));
      }
      case graph::Action::kMutate:
        return kind_of(mutate(place(), authority,
                              {.text = "query m() { insert Person { name: \"Ada\" } }"}, {}));
      case graph::Action::kBranchCreate:
        return kind_of(graph::create_branch(place(), authority, "new"));
      case graph::Action::kBranchDelete:
        return kind_of(graph::delete_branch(place(), authority, "old"));
      case graph::Action::kAdopt:
        return kind_of(graph::repair(place(), authority, {.remedy = graph::Remedy::kAdopt}, {}));
      case graph::Action::kDiscard:
        return kind_of(graph::repair(place(), authority, {.remedy = graph::Remedy::kDiscard}, {}));
      case graph::Action::kRepairPaths:
        return kind_of(graph::repair_paths(place(), authority, {}, {}));
      case graph::Action::kCleanup:
        return kind_of(graph::clean_graph(place(), authority, {}, {}));
      case graph::Action::kKeep:
        return kind_of(graph::keep_lance_version(
            place(), authority, *(*graph::open_snapshot(place()))->find_node("Person")));
    }
    return ErrorKind::kInternal;
  }

 private:
  template <typename Done>
  static ErrorKind kind_of(const Done& done) {
    return done.ok() ? ErrorKind::kInternal : done.error().kind();
  }
};

constexpr graph::Action kActions[] = {graph::Action::kInit,         graph::Action::kLoad,
                                      graph::Action::kMutate,       graph::Action::kBranchCreate,
                                      graph::Action::kBranchDelete, graph::Action::kAdopt,
                                      graph::Action::kDiscard,      graph::Action::kRepairPaths,
                                      graph::Action::kCleanup,      graph::Action::kKeep};

TEST_F(AuthorityTest, EveryMutatingCallAsksThePolicyBeforeAnythingIsDone) {
  const size_t objects = store_.list("", true)->size();
  for (const graph::Action action : kActions) {
    const AllBut policy(action);
    EXPECT_EQ(outcome(action, {"eve", policy}), ErrorKind::kDenied) << graph::action_name(action);
    EXPECT_EQ(policy.asked(), 1U);
    EXPECT_EQ(store_.list("", true)->size(), objects) << graph::action_name(action);
  }
}

TEST_F(AuthorityTest, NoMutatingCallGoesWithoutAnActor) {
  const size_t objects = store_.list("", true)->size();
  const std::string long_name(graph::kActorBytesMax + 1, 'x');
  for (const graph::Action action : kActions) {
    EXPECT_EQ(outcome(action, {"", everything_}), ErrorKind::kInvalid);
    EXPECT_EQ(outcome(action, {long_name, everything_}), ErrorKind::kInvalid);
    EXPECT_EQ(store_.list("", true)->size(), objects) << graph::action_name(action);
  }
}

TEST_F(AuthorityTest, WhoMayDoesAndIsNamedInTheCommit) {
  const AllBut policy(graph::Action::kInit);
  const std::string name(graph::kActorBytesMax, 'x');
  for (const graph::Action action : {graph::Action::kLoad, graph::Action::kBranchCreate}) {
    EXPECT_EQ(outcome(action, {"eve", policy}), ErrorKind::kInternal) << graph::action_name(action);
  }
  EXPECT_EQ((*graph::open_snapshot(place()))->commit().actor, "eve");
  EXPECT_EQ(outcome(graph::Action::kMutate, {name, everything_}), ErrorKind::kInternal);
  EXPECT_EQ((*graph::open_snapshot(place()))->commit().actor, name);
}

TEST_F(AuthorityTest, AMessageHasALimit) {
  codec::MemoryInputView input(kRow);
  const std::string longest(graph::kMessageBytesMax, 'm');
  EXPECT_TRUE(graph::load(place(), ana(), {.message = longest}, input, {}).ok());
  codec::MemoryInputView again(kRow);
  EXPECT_EQ(graph::load(place(), ana(), {.message = longest + "m"}, again, {}).error().kind(),
            ErrorKind::kLimit);
  EXPECT_EQ(
      mutate(place(), ana(),
             {.text = "query m() { insert Person { name: \"Bo\" } }", .message = longest + "m"}, {})
          .error()
          .kind(),
      ErrorKind::kLimit);
  EXPECT_EQ(graph::delete_branch(place(), ana(), "old", longest + "m").error().kind(),
            ErrorKind::kLimit);
}

}  // namespace
}  // namespace weft::gqexec
