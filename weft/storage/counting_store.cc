#include "weft/storage/counting_store.h"

#include <algorithm>
#include <utility>

#include "weft/storage/object_group.h"
#include "weft/storage/which_exist.h"

namespace weft::storage {
namespace {

using Ongoing = StoreCounter::Ongoing;

uint64_t bytes_of(const std::vector<Range>& ranges) {
  uint64_t bytes = 0;
  for (const Range& range : ranges) {
    bytes += range.size;
  }
  return bytes;
}

class CountingReader final : public ObjectReader {
 public:
  CountingReader(std::unique_ptr<ObjectReader> inner, StoreCounter& counter)
      : inner_(std::move(inner)), counter_(counter) {}

  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return inner_->size(); }
  std::string identity() const override { return inner_->identity(); }
  bool is_remote() const override { return inner_->is_remote(); }
  Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                        std::stop_token stop) override {
    const Ongoing ongoing(counter_, Operation::kRead, ranges.size(), bytes_of(ranges));
    return inner_->read_many(ranges, std::move(stop));
  }
  void prefetch(const std::vector<Range>& ranges) override { inner_->prefetch(ranges); }

 private:
  std::unique_ptr<ObjectReader> inner_;
  StoreCounter& counter_;
};

class CountingWriter final : public ObjectWriter {
 public:
  CountingWriter(std::unique_ptr<ObjectWriter> inner, StoreCounter& counter)
      : inner_(std::move(inner)), counter_(counter) {}

  Status append(ByteView bytes) override {
    const Ongoing ongoing(counter_, Operation::kAppend, 1, bytes.size());
    return inner_->append(bytes);
  }
  Status overwrite(uint64_t offset, ByteView bytes) override {
    const Ongoing ongoing(counter_, Operation::kAppend, 1, bytes.size());
    return inner_->overwrite(offset, bytes);
  }
  uint64_t size() const override { return inner_->size(); }
  Result<PutOutcome> publish() override {
    const Ongoing ongoing(counter_, Operation::kPublish, 1, inner_->size());
    return inner_->publish();
  }

 private:
  std::unique_ptr<ObjectWriter> inner_;
  StoreCounter& counter_;
};

class CountingAppend final : public AppendFile {
 public:
  CountingAppend(std::unique_ptr<AppendFile> inner, StoreCounter& counter)
      : inner_(std::move(inner)), counter_(counter) {}

  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return inner_->size(); }
  Status append(ByteView bytes) override {
    const Ongoing ongoing(counter_, Operation::kAppend, 1, bytes.size());
    return inner_->append(bytes);
  }
  Status sync() override {
    const Ongoing ongoing(counter_, Operation::kSync, 1, 0);
    return inner_->sync();
  }
  Status truncate(uint64_t size) override {
    const Ongoing ongoing(counter_, Operation::kTruncate, 1, 0);
    return inner_->truncate(size);
  }
  Result<bool> is_ours() override { return inner_->is_ours(); }

 private:
  std::unique_ptr<AppendFile> inner_;
  StoreCounter& counter_;
};

// A read is one call for each part: what a store of one range a request is asked.
class CountingGroup final : public ObjectGroup {
 public:
  CountingGroup(std::unique_ptr<ObjectGroup> inner, StoreCounter& counter)
      : inner_(std::move(inner)), counter_(counter) {}

  Result<std::vector<Buffer>> read(const std::vector<GroupPart>& parts,
                                   std::stop_token stop) override {
    uint64_t bytes = 0;
    for (const GroupPart& part : parts) {
      bytes += part.range.size;
    }
    const Ongoing ongoing(counter_, Operation::kRead, parts.size(), bytes);
    return inner_->read(parts, std::move(stop));
  }

 private:
  std::unique_ptr<ObjectGroup> inner_;
  StoreCounter& counter_;
};

class CountingStore final : public ObjectStore, public ManyAsker, public GroupOpener {
 public:
  CountingStore(ObjectStore& inner, StoreCounter& counter) : inner_(inner), counter_(counter) {}

  Capabilities capabilities() const override { return inner_.capabilities(); }
  std::string location() const override { return inner_.location(); }

  Result<std::unique_ptr<ObjectReader>> open(const std::string& name) override {
    const Ongoing ongoing(counter_, Operation::kOpen, 1, 0);
    WEFT_TRY(std::unique_ptr<ObjectReader> reader, inner_.open(name));
    return counting_reader(std::move(reader), counter_);
  }
  void prefetch(const std::vector<std::string>& names) override { inner_.prefetch(names); }
  Result<VersionedObject> get(const std::string& name, uint64_t size_max_bytes) override {
    Ongoing ongoing(counter_, Operation::kGet, 1, 0);
    Result<VersionedObject> got = inner_.get(name, size_max_bytes);
    ongoing.add_bytes(got.ok() ? got->bytes.size() : 0);
    return got;
  }
  Result<std::vector<bool>> which_exist(const std::vector<std::string>& names) override {
    const Ongoing ongoing(counter_, Operation::kWhichExist, names.size(), 0);
    return storage::which_exist(inner_, names);
  }
  std::unique_ptr<ObjectGroup> open_group(std::vector<GroupMember> members) override {
    return std::make_unique<CountingGroup>(storage::open_group(inner_, std::move(members)),
                                           counter_);
  }
  Result<PutOutcome> put_if_absent(const std::string& name, ByteView bytes) override {
    const Ongoing ongoing(counter_, Operation::kPutIfAbsent, 1, bytes.size());
    return inner_.put_if_absent(name, bytes);
  }
  Result<std::vector<PutOutcome>> put_many_if_absent(
      const std::vector<std::pair<std::string, ByteView>>& objects) override {
    return put_many_foreseeing(objects, {});
  }
  Result<std::vector<PutOutcome>> put_many_foreseeing(
      const std::vector<std::pair<std::string, ByteView>>& objects,
      const std::vector<std::pair<std::string, ByteView>>& next) override {
    uint64_t bytes = 0;
    for (const auto& [name, content] : objects) {
      bytes += content.size();
    }
    const Ongoing ongoing(counter_, Operation::kPutIfAbsent, objects.size(), bytes);
    return inner_.put_many_foreseeing(objects, next);
  }
  Result<std::unique_ptr<ObjectWriter>> create(const std::string& name) override {
    const Ongoing ongoing(counter_, Operation::kCreate, 1, 0);
    WEFT_TRY(std::unique_ptr<ObjectWriter> writer, inner_.create(name));
    return std::make_unique<CountingWriter>(std::move(writer), counter_);
  }
  Result<PutOutcome> put_if_match(const std::string& name, ByteView bytes,
                                  const Etag& expected) override {
    const Ongoing ongoing(counter_, Operation::kPutIfMatch, 1, bytes.size());
    return inner_.put_if_match(name, bytes, expected);
  }
  Status sync_existing(const std::vector<std::string>& names) override {
    const Ongoing ongoing(counter_, Operation::kSyncExisting, names.size(), 0);
    return inner_.sync_existing(names);
  }
  Status remove(const std::string& name) override {
    const Ongoing ongoing(counter_, Operation::kRemove, 1, 0);
    return inner_.remove(name);
  }
  Result<std::vector<ObjectInfo>> list(const std::string& prefix, bool with_temporaries) override {
    const Ongoing ongoing(counter_, Operation::kList, 1, 0);
    return inner_.list(prefix, with_temporaries);
  }
  Result<std::unique_ptr<AppendFile>> open_append(const std::string& name) override {
    const Ongoing ongoing(counter_, Operation::kOpenAppend, 1, 0);
    WEFT_TRY(std::unique_ptr<AppendFile> file, inner_.open_append(name));
    return std::make_unique<CountingAppend>(std::move(file), counter_);
  }
  Result<std::unique_ptr<HeldRight>> hold(const std::string& name,
                                          const HoldRequest& request) override {
    return inner_.hold(name, request);
  }

 private:
  ObjectStore& inner_;
  StoreCounter& counter_;
};

}  // namespace

std::string_view operation_name(Operation operation) {
  switch (operation) {
    case Operation::kOpen:
      return "open";
    case Operation::kRead:
      return "read";
    case Operation::kGet:
      return "get";
    case Operation::kPutIfAbsent:
      return "put-if-absent";
    case Operation::kPutIfMatch:
      return "put-if-match";
    case Operation::kCreate:
      return "create";
    case Operation::kAppend:
      return "append";
    case Operation::kPublish:
      return "publish";
    case Operation::kSyncExisting:
      return "sync-existing";
    case Operation::kRemove:
      return "remove";
    case Operation::kList:
      return "list";
    case Operation::kOpenAppend:
      return "open-append";
    case Operation::kSync:
      return "sync";
    case Operation::kTruncate:
      return "truncate";
    case Operation::kWhichExist:
      return "which-exist";
  }
  return "";
}

uint64_t StoreCounts::calls() const {
  uint64_t sum = 0;
  for (const OperationCounts& counts : by_operation) {
    sum += counts.calls;
  }
  return sum;
}

uint64_t StoreCounts::items() const {
  uint64_t sum = 0;
  for (const OperationCounts& counts : by_operation) {
    sum += counts.items;
  }
  return sum;
}

StoreCounts StoreCounter::counts() const {
  const base::MutexLock lock(mutex_);
  return counts_;
}

void StoreCounter::reset() {
  const base::MutexLock lock(mutex_);
  counts_ = {};
}

StoreCounter::Ongoing::Ongoing(StoreCounter& counter, Operation operation, uint64_t items,
                               uint64_t bytes)
    : counter_(counter), operation_(operation) {
  const base::MutexLock lock(counter_.mutex_);
  OperationCounts& counts = counter_.counts_[operation_];
  ++counts.calls;
  counts.items += items;
  counts.bytes += bytes;
  round_ = operation_ == Operation::kAppend ? 0 : counter_.counts_.rounds + 1;
}

StoreCounter::Ongoing::~Ongoing() {
  const base::MutexLock lock(counter_.mutex_);
  counter_.counts_.rounds = std::max(counter_.counts_.rounds, round_);
}

void StoreCounter::Ongoing::add_bytes(uint64_t bytes) {
  const base::MutexLock lock(counter_.mutex_);
  counter_.counts_[operation_].bytes += bytes;
}

std::unique_ptr<ObjectStore> counting_store(ObjectStore& inner, StoreCounter& counter) {
  return std::make_unique<CountingStore>(inner, counter);
}

std::unique_ptr<ObjectReader> counting_reader(std::unique_ptr<ObjectReader> inner,
                                              StoreCounter& counter) {
  return std::make_unique<CountingReader>(std::move(inner), counter);
}

}  // namespace weft::storage
