#include "weft/storage/fault_store.h"

#include <utility>

#include "weft/storage/counting_store.h"

namespace weft::storage {
namespace {

// What the decorated store, reader and writer share.
struct Faults {
  FaultPlan& plan;
  base::Clock& clock;

  Fault decide(Operation operation, const std::string& name, uint64_t bytes = 0) const {
    return plan.decide({operation_name(operation), name}, bytes);
  }

  // `act` under the fault chosen for it; R is a Result. `tear` acts with a part of the bytes.
  template <typename Act, typename Tear>
  auto change(Operation operation, const std::string& name, uint64_t bytes, const Act& act,
              const Tear& tear) const -> decltype(act()) {
    const Fault fault = decide(operation, name, bytes);
    switch (fault) {
      case Fault::kNone:
        return act();
      case Fault::kAnswerLate: {
        auto result = act();
        clock.sleep_microseconds(kLateMicroseconds);
        return result;
      }
      case Fault::kActLate:
        clock.sleep_microseconds(kLateMicroseconds);
        // The process may have ended while its request was on the way; it arrives all the same.
        return act();
      case Fault::kDoneUnanswered:
        static_cast<void>(act());
        break;
      case Fault::kTear:
        static_cast<void>(tear());
        break;
      case Fault::kFail:
      case Fault::kUndoneUnanswered:
      case Fault::kFull:
      case Fault::kStop:
        break;
    }
    return fault_error(fault, operation_name(operation), name);
  }

  template <typename Act>
  auto change(Operation operation, const std::string& name, uint64_t bytes, const Act& act) const
      -> decltype(act()) {
    return change(operation, name, bytes, act, act);
  }

  template <typename Act>
  auto read(Operation operation, const std::string& name, const Act& act) const -> decltype(act()) {
    const Fault fault = decide(operation, name);
    switch (fault) {
      case Fault::kNone:
        return act();
      case Fault::kAnswerLate: {
        auto result = act();
        clock.sleep_microseconds(kLateMicroseconds);
        return result;
      }
      case Fault::kActLate:
        clock.sleep_microseconds(kLateMicroseconds);
        return act();
      case Fault::kStop:
        return fault_error(fault, operation_name(operation), name);
      case Fault::kFail:
      case Fault::kDoneUnanswered:
      case Fault::kUndoneUnanswered:
      case Fault::kTear:
      case Fault::kFull:
        break;
    }
    return fault_error(Fault::kFail, operation_name(operation), name);
  }
};

class FaultReader final : public ObjectReader {
 public:
  FaultReader(std::unique_ptr<ObjectReader> inner, Faults faults)
      : inner_(std::move(inner)), faults_(faults) {}

  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return inner_->size(); }
  std::string identity() const override { return inner_->identity(); }
  bool is_remote() const override { return inner_->is_remote(); }
  Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                        std::stop_token stop) override {
    return faults_.read(Operation::kRead, name(),
                        [&] { return inner_->read_many(ranges, std::move(stop)); });
  }
  void prefetch(const std::vector<Range>& ranges) override { inner_->prefetch(ranges); }

 private:
  std::unique_ptr<ObjectReader> inner_;
  Faults faults_;
};

class FaultWriter final : public ObjectWriter {
 public:
  FaultWriter(std::unique_ptr<ObjectWriter> inner, std::string name, Faults faults)
      : inner_(std::move(inner)), name_(std::move(name)), faults_(faults) {}
  Status append(ByteView bytes) override {
    return remember(faults_.change(
        Operation::kAppend, name_, bytes.size(), [&] { return inner_->append(bytes); },
        [&] { return inner_->append(bytes.first(bytes.size() / 2)); }));
  }
  Status overwrite(uint64_t offset, ByteView bytes) override {
    return remember(faults_.change(Operation::kAppend, name_, bytes.size(),
                                   [&] { return inner_->overwrite(offset, bytes); }));
  }
  uint64_t size() const override { return inner_->size(); }
  Result<PutOutcome> publish() override {
    if (failed_) {
      return Error(ErrorKind::kInvalid, "cannot publish a file after a failed write")
          .with("object", name_);
    }
    return faults_.change(Operation::kPublish, name_, 0, [&] { return inner_->publish(); });
  }

 private:
  // Whatever an append answered with, the content is not what was asked for.
  Status remember(Status status) {
    failed_ = failed_ || !status.ok();
    return status;
  }

  std::unique_ptr<ObjectWriter> inner_;
  std::string name_;
  Faults faults_;
  bool failed_ = false;
};

class FaultAppend final : public AppendFile {
 public:
  FaultAppend(std::unique_ptr<AppendFile> inner, Faults faults)
      : inner_(std::move(inner)), faults_(faults) {}
  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return inner_->size(); }
  Status append(ByteView bytes) override {
    return faults_.change(
        Operation::kAppend, name(), bytes.size(), [&] { return inner_->append(bytes); },
        [&] { return inner_->append(bytes.first(bytes.size() / 2)); });
  }
  Status sync() override {
    return faults_.change(Operation::kSync, name(), 0, [&] { return inner_->sync(); });
  }
  Status truncate(uint64_t size) override {
    return faults_.change(Operation::kTruncate, name(), 0, [&] { return inner_->truncate(size); });
  }
  Result<bool> is_ours() override { return inner_->is_ours(); }

 private:
  std::unique_ptr<AppendFile> inner_;
  Faults faults_;
};

class FaultStore final : public ObjectStore {
 public:
  FaultStore(ObjectStore& inner, Faults faults) : inner_(inner), faults_(faults) {}

  Capabilities capabilities() const override { return inner_.capabilities(); }
  std::string location() const override { return inner_.location(); }
  void prefetch(const std::vector<std::string>& names) override { inner_.prefetch(names); }

  Result<std::unique_ptr<ObjectReader>> open(const std::string& name) override {
    WEFT_TRY(std::unique_ptr<ObjectReader> reader,
             faults_.read(Operation::kOpen, name, [&] { return inner_.open(name); }));
    return std::make_unique<FaultReader>(std::move(reader), faults_);
  }
  Result<VersionedObject> get(const std::string& name, uint64_t size_max_bytes) override {
    return faults_.read(Operation::kGet, name, [&] { return inner_.get(name, size_max_bytes); });
  }
  Result<PutOutcome> put_if_absent(const std::string& name, ByteView bytes) override {
    return faults_.change(
        Operation::kPutIfAbsent, name, bytes.size(),
        [&] { return inner_.put_if_absent(name, bytes); },
        [&] { return inner_.put_if_absent(name, bytes.first(bytes.size() / 2)); });
  }
  Result<std::vector<PutOutcome>> put_many_if_absent(
      const std::vector<std::pair<std::string, ByteView>>& objects) override {
    uint64_t bytes = 0;
    for (const auto& [name, content] : objects) {
      bytes += content.size();
    }
    // Torn: the first half of the objects arrives, whole.
    const auto half = [&] {
      return inner_.put_many_if_absent(
          {objects.begin(), objects.begin() + static_cast<ptrdiff_t>(objects.size() / 2)});
    };
    return faults_.change(
        Operation::kPutIfAbsent, objects.empty() ? std::string() : objects.front().first, bytes,
        [&] { return inner_.put_many_if_absent(objects); }, half);
  }
  Result<std::unique_ptr<ObjectWriter>> create(const std::string& name) override {
    WEFT_TRY(std::unique_ptr<ObjectWriter> writer,
             faults_.change(Operation::kCreate, name, 0, [&] { return inner_.create(name); }));
    return std::make_unique<FaultWriter>(std::move(writer), name, faults_);
  }
  Result<PutOutcome> put_if_match(const std::string& name, ByteView bytes,
                                  const Etag& expected) override {
    return faults_.change(
        Operation::kPutIfMatch, name, bytes.size(),
        [&] { return inner_.put_if_match(name, bytes, expected); },
        [&] { return inner_.put_if_match(name, bytes.first(bytes.size() / 2), expected); });
  }
  Status sync_existing(const std::vector<std::string>& names) override {
    return faults_.change(Operation::kSyncExisting, names.empty() ? std::string() : names.front(),
                          0, [&] { return inner_.sync_existing(names); });
  }
  Status remove(const std::string& name) override {
    return faults_.change(Operation::kRemove, name, 0, [&] { return inner_.remove(name); });
  }
  Result<std::vector<ObjectInfo>> list(const std::string& prefix, bool with_temporaries) override {
    return faults_.read(Operation::kList, prefix,
                        [&] { return inner_.list(prefix, with_temporaries); });
  }
  Result<std::unique_ptr<AppendFile>> open_append(const std::string& name) override {
    WEFT_TRY(std::unique_ptr<AppendFile> file, faults_.change(Operation::kOpenAppend, name, 0, [&] {
      return inner_.open_append(name);
    }));
    return std::make_unique<FaultAppend>(std::move(file), faults_);
  }
  Result<std::unique_ptr<HeldRight>> hold(const std::string& name,
                                          const HoldRequest& request) override {
    return inner_.hold(name, request);
  }

 private:
  ObjectStore& inner_;
  Faults faults_;
};

}  // namespace

std::unique_ptr<ObjectStore> fault_store(ObjectStore& inner, FaultPlan& plan, base::Clock& clock) {
  return std::make_unique<FaultStore>(inner, Faults{plan, clock});
}

}  // namespace weft::storage
