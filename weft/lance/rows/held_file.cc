#include "weft/lance/rows/held_file.h"

#include <utility>

namespace weft::lance {
namespace {

class HeldFile final : public storage::ObjectWriter {
 public:
  HeldFile(storage::ObjectStore& store, std::string name, uint64_t bytes_max,
           std::vector<StagedObject>& held)
      : store_(store), name_(std::move(name)), bytes_max_(bytes_max), held_(held) {}

  Status append(ByteView bytes) override {
    if (written_ == nullptr && bytes_.size() + bytes.size() <= bytes_max_) {
      bytes_.append(as_text(bytes));
      return ok_status();
    }
    if (written_ == nullptr) {
      WEFT_TRY(written_, store_.create(name_));
      WEFT_TRY_STATUS(written_->append(as_bytes(bytes_)));
      bytes_ = std::string();
    }
    return written_->append(bytes);
  }
  Status overwrite(uint64_t offset, ByteView bytes) override {
    if (written_ != nullptr) {
      return written_->overwrite(offset, bytes);
    }
    WEFT_CHECK(offset <= bytes_.size() && bytes.size() <= bytes_.size() - offset);
    bytes_.replace(offset, bytes.size(), as_text(bytes));
    return ok_status();
  }
  uint64_t size() const override { return written_ != nullptr ? written_->size() : bytes_.size(); }
  Result<storage::PutOutcome> publish() override {
    if (written_ != nullptr) {
      return written_->publish();
    }
    held_.emplace_back(std::move(name_), std::move(bytes_));
    return storage::PutOutcome::kDone;
  }

 private:
  storage::ObjectStore& store_;
  std::string name_;
  uint64_t bytes_max_;
  std::vector<StagedObject>& held_;
  std::string bytes_;
  std::unique_ptr<storage::ObjectWriter> written_;
};

}  // namespace

std::unique_ptr<storage::ObjectWriter> held_file(storage::ObjectStore& store, std::string name,
                                                 uint64_t bytes_max,
                                                 std::vector<StagedObject>& held) {
  return std::make_unique<HeldFile>(store, std::move(name), bytes_max, held);
}

}  // namespace weft::lance
