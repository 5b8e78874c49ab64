// The promises S1 to S5 of object_store.h at every crash point.
#include "tests/crash/crash_harness.h"
#include <gmock/gmock.h>

namespace weft::crash {
namespace {

using storage::ObjectStore;
using storage::PutOutcome;
using storage::VersionedObject;

// The text of an object; nothing if it is absent.
std::optional<std::string> text_of(ObjectStore& store, const std::string& name) {
  const Result<VersionedObject> got = store.get(name, 1'000'000);
  if (got.ok()) {
    return to_text(got->bytes.view());
  }
  EXPECT_EQ(got.error().kind(), ErrorKind::kNotFound);
  return std::nullopt;
}

class PutIfAbsent final : public CrashScenario {
 public:
  Status run(ObjectStore& store) override {
    const Result<PutOutcome> put = store.put_if_absent("a", as_bytes("whole"));
    acknowledged_ = put.ok() && *put == PutOutcome::kDone;
    return put.ok() ? ok_status() : Status(put.error());
  }
  void verify(ObjectStore& store) override {
    const auto text = text_of(store, "a");
    EXPECT_TRUE(!text || *text == "whole");
    EXPECT_TRUE(text || !acknowledged_);
  }

 private:
  bool acknowledged_ = false;
};

class PutIfMatch final : public CrashScenario {
 public:
  Status prepare(ObjectStore& store) override {
    WEFT_TRY_STATUS(store.put_if_absent("m", as_bytes("v0")));
    return ok_status();
  }
  Status run(ObjectStore& store) override {
    for (int version = 1; version <= 3; ++version) {
      WEFT_TRY(const VersionedObject current, store.get("m", 100));
      const std::string next = "v" + std::to_string(version);
      Result<PutOutcome> put = store.put_if_match("m", as_bytes(next), current.etag);
      tried_ = version;
      if (!put.ok()) {
        return std::move(put).error();
      }
      EXPECT_EQ(*put, PutOutcome::kDone);
      acknowledged_ = version;
    }
    return ok_status();
  }
  void verify(ObjectStore& store) override {
    const auto text = text_of(store, "m");
    ASSERT_TRUE(text.has_value());
    const int version = std::stoi(text->substr(1));
    EXPECT_GE(version, acknowledged_);
    EXPECT_LE(version, tried_ + 1);
  }

 private:
  int tried_ = 0;
  int acknowledged_ = 0;
};

class Writer final : public CrashScenario {
 public:
  Status run(ObjectStore& store) override {
    WEFT_TRY(const auto writer, store.create("s/1"));
    WEFT_TRY_STATUS(writer->append(as_bytes("-ead ")));
    WEFT_TRY_STATUS(writer->append(as_bytes("tail")));
    WEFT_TRY_STATUS(writer->overwrite(0, as_bytes("h")));
    WEFT_TRY(const PutOutcome outcome, writer->publish());
    acknowledged_ = outcome == PutOutcome::kDone;
    return ok_status();
  }
  void verify(ObjectStore& store) override {
    const auto text = text_of(store, "s/1");
    EXPECT_TRUE(!text || *text == "head tail");
    EXPECT_TRUE(text || !acknowledged_);
    for (const storage::ObjectInfo& info : store.list("", true).value()) {
      EXPECT_TRUE(info.name == "s/1" || info.name.starts_with("s/.weft-tmp-")) << info.name;
    }
    EXPECT_LE(store.list("", false).value().size(), 1U);
  }

 private:
  bool acknowledged_ = false;
};

// A reference is published only after what it refers to: never the one without the other.
class PublishAfterParts final : public CrashScenario {
 public:
  Status prepare(ObjectStore& store) override {
    WEFT_TRY_STATUS(store.put_if_absent("head", as_bytes("")));
    return ok_status();
  }
  Status run(ObjectStore& store) override {
    WEFT_TRY_STATUS(store.put_many_if_absent({{"p/1", as_bytes("1")}, {"p/2", as_bytes("2")}}));
    WEFT_TRY(const VersionedObject current, store.get("head", 100));
    WEFT_TRY(const PutOutcome outcome,
             store.put_if_match("head", as_bytes("p/1 p/2"), current.etag));
    acknowledged_ = outcome == PutOutcome::kDone;
    return ok_status();
  }
  void verify(ObjectStore& store) override {
    const auto head = text_of(store, "head");
    ASSERT_TRUE(head.has_value());
    EXPECT_TRUE(*head == "p/1 p/2" || (head->empty() && !acknowledged_));
    if (!head->empty()) {
      EXPECT_EQ(text_of(store, "p/1"), "1");
      EXPECT_EQ(text_of(store, "p/2"), "2");
    }
  }

 private:
  bool acknowledged_ = false;
};

TEST(StorageCrash, PutIfAbsentIsWholeOrNothing) {
  const CrashSummary summary = crash_everywhere([] { return std::make_unique<PutIfAbsent>(); });
  EXPECT_EQ(summary.steps, 3U);
}

TEST(StorageCrash, PutIfMatchLosesNoAcknowledgedVersion) {
  const CrashSummary summary = crash_everywhere([] { return std::make_unique<PutIfMatch>(); });
  EXPECT_EQ(summary.steps, 15U);
}

TEST(StorageCrash, AWriterShowsAllOrNothing) {
  const CrashSummary summary = crash_everywhere([] { return std::make_unique<Writer>(); });
  EXPECT_GE(summary.steps, 11U);
}

TEST(StorageCrash, WhatIsReferredToIsThere) {
  const CrashSummary summary =
      crash_everywhere([] { return std::make_unique<PublishAfterParts>(); });
  EXPECT_EQ(summary.steps, 10U);
}

// The harness itself: it must find these.
class ReferenceFirst final : public CrashScenario {
 public:
  explicit ReferenceFirst(bool& caught) : caught_(caught) {}
  Status run(ObjectStore& store) override {
    WEFT_TRY_STATUS(store.put_if_absent("head", as_bytes("p")));
    WEFT_TRY_STATUS(store.put_if_absent("p", as_bytes("1")));
    return ok_status();
  }
  void verify(ObjectStore& store) override {
    caught_ = caught_ || (text_of(store, "head") && !text_of(store, "p"));
  }

 private:
  bool& caught_;
};

// Builds upon what it found without syncing it.
class TrustsWhatItSees final : public CrashScenario {
 public:
  explicit TrustsWhatItSees(bool& caught) : caught_(caught) {}
  Status run(ObjectStore& store) override {
    Result<PutOutcome> first = store.put_if_absent("p", as_bytes("1"));
    if (!first.ok() && !store.open("p").ok()) {
      return std::move(first).error();
    }
    WEFT_TRY_STATUS(store.put_if_absent("head", as_bytes("p")));  // no sync_existing({"p"})
    return ok_status();
  }
  void verify(ObjectStore& store) override {
    caught_ = caught_ || (text_of(store, "head") && !text_of(store, "p"));
  }

 private:
  bool& caught_;
};

TEST(CrashHarness, FindsAReferenceThatComesFirst) {
  bool caught = false;
  crash_everywhere([&] { return std::make_unique<ReferenceFirst>(caught); });
  EXPECT_TRUE(caught);
}

TEST(CrashHarness, FindsWhoTrustsWhatIsNotSynced) {
  bool caught = false;
  crash_everywhere([&] { return std::make_unique<TrustsWhatItSees>(caught); });
  EXPECT_TRUE(caught);
}

}  // namespace
}  // namespace weft::crash
