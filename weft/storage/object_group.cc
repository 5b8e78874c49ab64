#include "weft/storage/object_group.h"

#include <utility>

#include "weft/base/check.h"

namespace weft::storage {
namespace {

class PlainGroup final : public ObjectGroup {
 public:
  PlainGroup(ObjectStore& store, std::vector<GroupMember> members)
      : store_(store), members_(std::move(members)), readers_(members_.size()) {}

  Result<std::vector<Buffer>> read(const std::vector<GroupPart>& parts,
                                   std::stop_token stop) override {
    WEFT_TRY_STATUS(check_parts(members_, parts));
    std::vector<std::vector<Range>> ranges(members_.size());
    std::vector<std::string> unopened;
    for (const GroupPart& part : parts) {
      if (ranges[part.member].empty() && readers_[part.member] == nullptr) {
        unopened.push_back(members_[part.member].name);
      }
      ranges[part.member].push_back(part.range);
    }
    if (unopened.size() > 1) {
      store_.prefetch(unopened);
    }
    for (size_t member = 0; member < members_.size(); ++member) {
      if (!ranges[member].empty()) {
        WEFT_TRY_STATUS(open(member));
        readers_[member]->prefetch(ranges[member]);
      }
    }
    std::vector<std::vector<Buffer>> read(members_.size());
    for (size_t member = 0; member < members_.size(); ++member) {
      if (!ranges[member].empty()) {
        WEFT_TRY(read[member], readers_[member]->read_many(ranges[member], stop));
      }
    }
    std::vector<size_t> taken(members_.size());
    std::vector<Buffer> answers;
    answers.reserve(parts.size());
    for (const GroupPart& part : parts) {
      answers.push_back(std::move(read[part.member][taken[part.member]++]));
    }
    return answers;
  }

 private:
  Status open(size_t member) {
    if (readers_[member] != nullptr) {
      return ok_status();
    }
    const GroupMember& wanted = members_[member];
    WEFT_TRY(std::unique_ptr<ObjectReader> opened, store_.open(wanted.name));
    if (opened->size() != wanted.size) {
      return Error(ErrorKind::kCorrupt, "an object that never changes has another size")
          .with("object", wanted.name)
          .with("size", opened->size())
          .with("expected", wanted.size);
    }
    readers_[member] = std::move(opened);
    return ok_status();
  }

  ObjectStore& store_;
  const std::vector<GroupMember> members_;
  std::vector<std::unique_ptr<ObjectReader>> readers_;  // null: not opened yet
};

}  // namespace

std::unique_ptr<ObjectGroup> open_group(ObjectStore& store, std::vector<GroupMember> members) {
  if (auto* const opener = dynamic_cast<GroupOpener*>(&store); opener != nullptr) {
    return opener->open_group(std::move(members));
  }
  return std::make_unique<PlainGroup>(store, std::move(members));
}

Status check_parts(const std::vector<GroupMember>& members, const std::vector<GroupPart>& parts) {
  for (const GroupPart& part : parts) {
    WEFT_CHECK(part.member < members.size());
    WEFT_TRY_STATUS(
        check_ranges({part.range}, members[part.member].size, members[part.member].name));
  }
  return ok_status();
}

}  // namespace weft::storage
