#include "weft/rete/build/string_sorter.h"

#include <algorithm>

namespace weft::rete::build {
namespace {

constexpr uint64_t kSeed = 0x5EED;
constexpr size_t kCursorBytesMax = size_t{256} << 10U;
constexpr size_t kCursorBytesMin = 4096;

}  // namespace

void StringSorter::renew() {
  runs_.push_back(std::make_unique<RunTerms>(kSeed));
}

Status StringSorter::add(std::string_view text) {
  TermInterner& open = runs_.back()->interner();
  if (open.size() > 0 && (open.memory_bytes_with(1, text.size()) > space_->sort_bytes ||
                          !open.has_room(1, text.size()))) {
    runs_.back()->sort();
    WEFT_TRY_STATUS(runs_.back()->spill(terms_file_));
    renew();
  }
  runs_.back()->interner().intern(text, kRoleSubject);
  return ok_status();
}

Status StringSorter::for_each(const std::function<Status(std::string_view)>& take) {
  runs_.back()->sort();
  const size_t buffer =
      std::clamp<size_t>(space_->sort_bytes / (2 * runs_.size()), kCursorBytesMin, kCursorBytesMax);
  std::vector<std::unique_ptr<TermCursor>> cursors;
  cursors.reserve(runs_.size());
  for (const auto& run : runs_) {
    cursors.push_back(run->cursor(terms_file_, numbers_file_, buffer));
  }
  TermMerge merge(std::move(cursors));
  while (true) {
    WEFT_TRY(const bool more, merge.next());
    if (!more) {
      break;
    }
    WEFT_TRY_STATUS(take(merge.token()));
  }
  runs_.clear();
  return ok_status();
}

}  // namespace weft::rete::build
