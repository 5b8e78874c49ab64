#include "weft/storage/remembering_group.h"

#include <optional>
#include <span>
#include <utility>

#include "weft/storage/remembered_blocks.h"

namespace weft::storage {
namespace {

bool overlaps(const Range& one, const Range& other) {
  return one.offset < other.offset + other.size && other.offset < one.offset + one.size;
}

class RememberingGroup final : public ObjectGroup {
 public:
  RememberingGroup(ObjectStore& inner, ObjectMemory& memory, const Keeps& keeps,
                   std::vector<GroupMember> members)
      : memory_(memory),
        keeps_(keeps),
        members_(std::move(members)),
        is_first_(members_.size(), false),
        is_counted_(members_.size(), false),
        inner_(open_group(inner, members_)) {}

  Result<std::vector<Buffer>> read(const std::vector<GroupPart>& parts,
                                   std::stop_token stop) override {
    WEFT_TRY_STATUS(check_parts(members_, parts));
    std::vector<Wanted> wanted(members_.size());
    std::vector<GroupPart> asked;
    for (const GroupPart& part : parts) {
      Wanted& member = wanted[part.member];
      WEFT_TRY_STATUS(begin(part.member, member));
      if (is_passed(part, member)) {
        asked.push_back(part);
      } else if (member.way == Way::kRemembered) {
        add_blocks(part.range, members_[part.member].size, member.blocks);
      }
    }
    const size_t passed = asked.size();
    for (size_t member = 0; member < members_.size(); ++member) {
      find(member, wanted[member]);
      for (const Range& range : wanted[member].missing.ranges) {
        asked.push_back({member, range});
      }
    }
    std::vector<Buffer> read;
    if (!asked.empty()) {
      WEFT_TRY(read, inner_->read(asked, std::move(stop)));
    }
    for (const GroupPart& part : std::span<const GroupPart>(asked).first(passed)) {
      note_first(part);
    }
    std::span<const Buffer> rest = std::span<const Buffer>(read).subspan(passed);
    for (size_t member = 0; member < members_.size(); ++member) {
      const size_t count = wanted[member].missing.ranges.size();
      take(member, rest.first(count), wanted[member]);
      rest = rest.subspan(count);
    }
    return answers(parts, wanted, read);
  }

 private:
  enum class Way : uint8_t { kUnknown, kHeld, kPassed, kRemembered };
  struct Wanted {
    Way way = Way::kUnknown;
    Buffer held;
    std::optional<ObjectMemory::Known> known;
    RememberedBlocks blocks;
    MissingBlocks missing;
    bool is_all = false;     // all that is asked for often is among the blocks
    bool is_single = false;  // some of it was missed
  };

  Status begin(size_t index, Wanted& wanted) {
    if (wanted.way != Way::kUnknown) {
      return ok_status();
    }
    const GroupMember& member = members_[index];
    std::optional<Buffer> held = memory_.held(member.name);
    uint64_t size = member.size;
    if (held.has_value()) {
      wanted.way = Way::kHeld;
      wanted.held = *std::move(held);
      size = wanted.held.size();
    } else if (keeps_(member.name, member.size)) {
      wanted.known = memory_.find(member.name);
      size = wanted.known.has_value() ? wanted.known->size : size;
      is_first_[index] = is_first_[index] || !wanted.known.has_value();
      wanted.way = is_first_[index] ? Way::kPassed : Way::kRemembered;
    } else {
      wanted.way = Way::kPassed;
    }
    if (size != member.size) {
      return Error(ErrorKind::kCorrupt, "an object that never changes has another size")
          .with("object", member.name)
          .with("size", size)
          .with("expected", member.size);
    }
    return ok_status();
  }

  // What would not be remembered is not looked for.
  bool is_passed(const GroupPart& part, const Wanted& wanted) const {
    return wanted.way == Way::kPassed ||
           (wanted.way == Way::kRemembered && !memory_.is_room_for(part.range.size));
  }

  void note_first(const GroupPart& part) {
    const GroupMember& member = members_[part.member];
    if (!is_first_[part.member]) {
      return;
    }
    memory_.note(member.name, member.size);
    if (overlaps(part.range, member.often) && !is_counted_[part.member]) {
      is_counted_[part.member] = true;
      memory_.note_miss(member.name);
    }
  }

  void find(size_t index, Wanted& wanted) {
    const GroupMember& member = members_[index];
    if (wanted.blocks.empty()) {
      return;
    }
    wanted.missing = find_blocks(memory_, *wanted.known, wanted.blocks);
    bool is_often = false;
    for (const Range& range : wanted.missing.ranges) {
      is_often = is_often || overlaps(range, member.often);
    }
    if (member.often.size > 0) {
      memory_.note_use(member.name);
    }
    if (!is_often || is_counted_[index]) {
      return;
    }
    is_counted_[index] = true;
    // What is small is read as a whole.
    const Range all =
        member.size <= kRememberedWholeBytesMax ? Range{0, member.size} : member.often;
    if (memory_.keep_part(member.name, all.size)) {
      add_blocks(all, member.size, wanted.blocks);
      wanted.missing = find_blocks(memory_, *wanted.known, wanted.blocks);
      wanted.is_all = true;
    } else {
      wanted.is_single = true;
    }
  }

  void take(size_t index, std::span<const Buffer> read, Wanted& wanted) {
    if (read.empty()) {
      return;
    }
    const bool remembers = wanted.is_all || memory_.is_room_for(wanted.missing.bytes);
    take_blocks(memory_, *wanted.known, wanted.missing, read, remembers, wanted.blocks);
    if (wanted.is_single) {
      memory_.note_miss(members_[index].name);
    }
  }

  std::vector<Buffer> answers(const std::vector<GroupPart>& parts,
                              const std::vector<Wanted>& wanted,
                              const std::vector<Buffer>& read) const {
    size_t passed = 0;
    std::vector<Buffer> answers;
    answers.reserve(parts.size());
    for (const GroupPart& part : parts) {
      const Wanted& member = wanted[part.member];
      if (member.way == Way::kHeld) {
        answers.push_back(member.held.slice(part.range.offset, part.range.size));
      } else if (is_passed(part, member)) {
        answers.push_back(read[passed++]);
      } else {
        answers.push_back(join_blocks(part.range, member.blocks));
      }
    }
    return answers;
  }

  ObjectMemory& memory_;
  const Keeps& keeps_;
  const std::vector<GroupMember> members_;
  std::vector<bool> is_first_;    // nothing was known of it
  std::vector<bool> is_counted_;  // some of what is asked for often was missed
  const std::unique_ptr<ObjectGroup> inner_;
};

}  // namespace

std::unique_ptr<ObjectGroup> remembering_group(ObjectStore& inner, ObjectMemory& memory,
                                               const Keeps& keeps,
                                               std::vector<GroupMember> members) {
  return std::make_unique<RememberingGroup>(inner, memory, keeps, std::move(members));
}

}  // namespace weft::storage
