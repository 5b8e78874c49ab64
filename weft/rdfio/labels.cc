#include "weft/rdfio/labels.h"

#include <algorithm>
#include <charconv>

namespace weft::rdfio {
namespace {

constexpr size_t kWeftHashChars = 26;
constexpr std::string_view kAnonymous = "anon-";

// The number of a label of the form anon-N as we write it, else 0.
uint64_t anonymous_number(std::string_view label) {
  if (!label.starts_with(kAnonymous)) {
    return 0;
  }
  const std::string_view digits = label.substr(kAnonymous.size());
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = code == std::errc() && end == digits.data() + digits.size();
  return whole && !digits.starts_with('0') ? number : 0;
}

}  // namespace

bool is_weft_label(std::string_view label) {
  if (label.size() < kWeftHashChars + 3 || label[0] != 'w' || label[kWeftHashChars + 1] != '_') {
    return false;
  }
  return std::ranges::all_of(label.substr(1, kWeftHashChars), [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= '2' && byte <= '7');
  });
}

Result<std::string> DocumentPrefix::get() {
  const base::MutexLock lock(mutex_);
  if (!prefix_) {
    prefix_ = give_ ? give_() : Result<std::string>(std::string());
  }
  return *prefix_;
}

Status BlankNodeLabels::ask_prefix() {
  if (!asked_) {
    WEFT_TRY(prefix_, document_.get());
    asked_ = true;
  }
  return ok_status();
}

Result<bool> BlankNodeLabels::keeps_labels() {
  WEFT_TRY_STATUS(ask_prefix());
  return prefix_.empty();
}

Status BlankNodeLabels::append_labelled(std::string& out, std::string_view label) {
  WEFT_TRY_STATUS(ask_prefix());
  out.append("_:");
  if (!prefix_.empty()) {
    if (!is_weft_label(label)) {
      out.append(prefix_);
    }
  } else if (const uint64_t number = anonymous_number(label); number != 0) {
    const auto range = std::ranges::lower_bound(given_, number, {}, &Range::last);
    if (range != given_.end() && range->first <= number) {
      return Error(ErrorKind::kInvalid,
                   "a node without a label has this label already; rename it, or let labels be "
                   "scoped by document")
          .with("label", label);
    }
    highest_taken_ = std::max(highest_taken_, number);
  }
  out.append(label);
  return ok_status();
}

Status BlankNodeLabels::append_anonymous(std::string& out) {
  WEFT_TRY_STATUS(ask_prefix());
  const uint64_t last = given_.empty() ? 0 : given_.back().last;
  // Numbers are given in sequence; with labels as they stand, a label met before jumps over.
  const uint64_t number = std::max(last, highest_taken_) + 1;
  if (given_.empty() || number != last + 1) {
    given_.push_back({number, number});
  }
  given_.back().last = number;
  out.append("_:").append(prefix_.empty() ? kAnonymous : std::string_view(prefix_));
  if (!prefix_.empty()) {
    out.push_back('-');  // no label begins with a dash
  }
  out.append(std::to_string(number));
  return ok_status();
}

}  // namespace weft::rdfio
