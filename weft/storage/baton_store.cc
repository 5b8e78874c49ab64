#include "weft/storage/baton_store.h"

#include <string>
#include <utility>

namespace weft::storage {
namespace {

// At both ends of one operation.
class Turn {
 public:
  Turn(base::Baton& baton, std::string_view operation, const std::string& name)
      : baton_(baton), point_(std::string(operation) + " " + name) {
    baton_.yield(point_);
  }
  ~Turn() { baton_.yield(point_ + " done"); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  base::Baton& baton_;
  std::string point_;
};

class BatonReader final : public ObjectReader {
 public:
  BatonReader(std::unique_ptr<ObjectReader> inner, base::Baton& baton)
      : inner_(std::move(inner)), baton_(baton) {}

  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return inner_->size(); }
  std::string identity() const override { return inner_->identity(); }
  bool is_remote() const override { return inner_->is_remote(); }
  Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                        std::stop_token stop) override {
    const Turn turn(baton_, "read", name());
    return inner_->read_many(ranges, std::move(stop));
  }
  void prefetch(const std::vector<Range>& ranges) override { inner_->prefetch(ranges); }

 private:
  std::unique_ptr<ObjectReader> inner_;
  base::Baton& baton_;
};

class BatonWriter final : public ObjectWriter {
 public:
  BatonWriter(std::unique_ptr<ObjectWriter> inner, std::string name, base::Baton& baton)
      : inner_(std::move(inner)), name_(std::move(name)), baton_(baton) {}

  Status append(ByteView bytes) override {
    const Turn turn(baton_, "append", name_);
    return inner_->append(bytes);
  }
  Status overwrite(uint64_t offset, ByteView bytes) override {
    const Turn turn(baton_, "overwrite", name_);
    return inner_->overwrite(offset, bytes);
  }
  uint64_t size() const override { return inner_->size(); }
  Result<PutOutcome> publish() override {
    const Turn turn(baton_, "publish", name_);
    return inner_->publish();
  }

 private:
  std::unique_ptr<ObjectWriter> inner_;
  std::string name_;
  base::Baton& baton_;
};

class BatonAppend final : public AppendFile {
 public:
  BatonAppend(std::unique_ptr<AppendFile> inner, base::Baton& baton)
      : inner_(std::move(inner)), baton_(baton) {}

  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return inner_->size(); }
  Status append(ByteView bytes) override {
    const Turn turn(baton_, "append", name());
    return inner_->append(bytes);
  }
  Status sync() override {
    const Turn turn(baton_, "sync", name());
    return inner_->sync();
  }
  Status truncate(uint64_t size) override {
    const Turn turn(baton_, "truncate", name());
    return inner_->truncate(size);
  }
  Result<bool> is_ours() override { return inner_->is_ours(); }

 private:
  std::unique_ptr<AppendFile> inner_;
  base::Baton& baton_;
};

class BatonStore final : public ObjectStore {
 public:
  BatonStore(ObjectStore& inner, base::Baton& baton) : inner_(inner), baton_(baton) {}

  Capabilities capabilities() const override { return inner_.capabilities(); }
  std::string location() const override { return inner_.location(); }
  void prefetch(const std::vector<std::string>& names) override { inner_.prefetch(names); }

  Result<std::unique_ptr<ObjectReader>> open(const std::string& name) override {
    const Turn turn(baton_, "open", name);
    WEFT_TRY(std::unique_ptr<ObjectReader> reader, inner_.open(name));
    return std::make_unique<BatonReader>(std::move(reader), baton_);
  }
  Result<VersionedObject> get(const std::string& name, uint64_t size_max_bytes) override {
    const Turn turn(baton_, "get", name);
    return inner_.get(name, size_max_bytes);
  }
  Result<PutOutcome> put_if_absent(const std::string& name, ByteView bytes) override {
    const Turn turn(baton_, "put-if-absent", name);
    return inner_.put_if_absent(name, bytes);
  }
  Result<std::vector<PutOutcome>> put_many_if_absent(
      const std::vector<std::pair<std::string, ByteView>>& objects) override {
    const Turn turn(baton_, "put-many", objects.empty() ? std::string() : objects.front().first);
    return inner_.put_many_if_absent(objects);
  }
  Result<std::unique_ptr<ObjectWriter>> create(const std::string& name) override {
    const Turn turn(baton_, "create", name);
    WEFT_TRY(std::unique_ptr<ObjectWriter> writer, inner_.create(name));
    return std::make_unique<BatonWriter>(std::move(writer), name, baton_);
  }
  Result<PutOutcome> put_if_match(const std::string& name, ByteView bytes,
                                  const Etag& expected) override {
    const Turn turn(baton_, "put-if-match", name);
    return inner_.put_if_match(name, bytes, expected);
  }
  Status sync_existing(const std::vector<std::string>& names) override {
    const Turn turn(baton_, "sync", names.empty() ? std::string() : names.front());
    return inner_.sync_existing(names);
  }
  Status remove(const std::string& name) override {
    const Turn turn(baton_, "remove", name);
    return inner_.remove(name);
  }
  Result<std::vector<ObjectInfo>> list(const std::string& prefix, bool with_temporaries) override {
    const Turn turn(baton_, "list", prefix);
    return inner_.list(prefix, with_temporaries);
  }
  Result<std::unique_ptr<AppendFile>> open_append(const std::string& name) override {
    const Turn turn(baton_, "open-append", name);
    WEFT_TRY(std::unique_ptr<AppendFile> file, inner_.open_append(name));
    return std::make_unique<BatonAppend>(std::move(file), baton_);
  }
  Result<std::unique_ptr<HeldRight>> hold(const std::string& name,
                                          const HoldRequest& request) override {
    return inner_.hold(name, request);
  }

 private:
  ObjectStore& inner_;
  base::Baton& baton_;
};

}  // namespace

std::unique_ptr<ObjectStore> baton_store(ObjectStore& inner, base::Baton& baton) {
  return std::make_unique<BatonStore>(inner, baton);
}

Status BatonSteps::before(const Step& step) {
  baton_.yield(std::string(step.action) + " " + std::string(step.name));
  return next_ == nullptr ? ok_status() : next_->before(step);
}

}  // namespace weft::storage
