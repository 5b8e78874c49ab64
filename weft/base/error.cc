#include "weft/base/error.h"

namespace weft {

std::string_view error_kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid:
      return "invalid";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kDenied:
      return "denied";
    case ErrorKind::kNotFound:
      return "not-found";
    case ErrorKind::kAlreadyExists:
      return "already-exists";
    case ErrorKind::kConflict:
      return "conflict";
    case ErrorKind::kLimit:
      return "limit";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kUnavailable:
      return "unavailable";
    case ErrorKind::kCorrupt:
      return "corrupt";
    case ErrorKind::kRecoveryRequired:
      return "recovery-required";
    case ErrorKind::kInternal:
      return "internal";
  }
  std::unreachable();
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid:
    case ErrorKind::kUnsupported:
      return 2;
    case ErrorKind::kDenied:
      return 3;
    case ErrorKind::kNotFound:
      return 4;
    case ErrorKind::kAlreadyExists:
    case ErrorKind::kConflict:
      return 5;
    case ErrorKind::kLimit:
      return 6;
    case ErrorKind::kCancelled:
    case ErrorKind::kUnavailable:
      return 7;
    case ErrorKind::kCorrupt:
      return 8;
    case ErrorKind::kRecoveryRequired:
      return 9;
    case ErrorKind::kInternal:
      return 10;
  }
  std::unreachable();
}

Error::Error(ErrorKind kind, std::string message)
    : detail_(std::make_unique<Detail>(Detail{kind, std::move(message), {}})) {}

Error::Error(const Error& other) : detail_(std::make_unique<Detail>(*other.detail_)) {}

Error& Error::operator=(const Error& other) {
  if (this != &other) {
    detail_ = std::make_unique<Detail>(*other.detail_);
  }
  return *this;
}

Error&& Error::with(std::string_view key, std::string_view value) && {
  add(key, value);
  return std::move(*this);
}

Error&& Error::with(std::string_view key, uint64_t value) && {
  add(key, std::to_string(value));
  return std::move(*this);
}

void Error::add(std::string_view key, std::string_view value) {
  detail_->facts.push_back(Fact{std::string(key), std::string(value)});
}

std::string_view Error::fact(std::string_view key) const {
  for (const Fact& fact : detail_->facts) {
    if (fact.key == key) {
      return fact.value;
    }
  }
  return {};
}

std::string Error::to_string() const {
  std::string text = detail_->message;
  const char* separator = ": ";
  for (const Fact& fact : detail_->facts) {
    text += separator;
    text += fact.key;
    text += '=';
    text += fact.value;
    separator = ", ";
  }
  return text;
}

}  // namespace weft
