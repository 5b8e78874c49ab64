// Errors are sorted by what the caller should do next (docs/architecture.md, "Errors"). A message
// is lowercase, without a stop, and says what was attempted; facts follow by key, so that programs
// can read them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

enum class ErrorKind : uint8_t {
  kInvalid,           // fix the request
  kUnsupported,       // do it another way
  kDenied,            // get permission
  kNotFound,          // name something that exists
  kAlreadyExists,     // take another name
  kConflict,          // look again, then try again
  kLimit,             // make it smaller, or raise the named limit
  kCancelled,         // still wanted?
  kUnavailable,       // the same call later; never after a publication was tried
  kCorrupt,           // stop; restore from another copy
  kRecoveryRequired,  // outcome unknown: ask again with the same operation id
  kInternal,          // our bug
};

// "invalid", "unsupported", … as printed and as in JSON.
std::string_view error_kind_name(ErrorKind kind);

// The exit code of the program for this kind: 2 to 10.
int exit_code(ErrorKind kind);

// A value; one pointer wide. A moved-from Error may only be assigned to or destroyed.
class [[nodiscard]] Error {
 public:
  struct Fact {
    std::string key;
    std::string value;
  };

  Error(ErrorKind kind, std::string message);
  Error(const Error& other);
  Error& operator=(const Error& other);
  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;

  // Adds a fact. A key may occur several times.
  Error&& with(std::string_view key, std::string_view value) &&;
  Error&& with(std::string_view key, uint64_t value) &&;
  void add(std::string_view key, std::string_view value);

  ErrorKind kind() const { return detail_->kind; }
  const std::string& message() const { return detail_->message; }
  const std::vector<Fact>& facts() const { return detail_->facts; }
  // The value of the first fact with this key, or "".
  std::string_view fact(std::string_view key) const;

  // "message: key=value, key=value".
  std::string to_string() const;

 private:
  struct Detail {
    ErrorKind kind;
    std::string message;
    std::vector<Fact> facts;
  };
  std::unique_ptr<Detail> detail_;
};

}  // namespace weft
