// Result<T>: a value or an Error. Status: success or an Error. Ignoring one is a compile error.
//
//     WEFT_TRY(const Header header, read_header(file));   // returns the error to the caller
//     WEFT_TRY_STATUS(sync(file));
#pragma once

#include <expected>
#include <type_traits>
#include <utility>

#include "weft/base/check.h"
#include "weft/base/error.h"

namespace weft {

template <typename T>
class [[nodiscard]] Result {
 public:
  using ValueType = T;
  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` and `return error;` are the point.
  Result(T value) : state_(std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::unexpect, std::move(error)) {}
  // What becomes a T: a unique_ptr to a derived class.
  template <typename U>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Result> && !std::is_convertible_v<U &&, Error>)
  // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload)
  Result(U&& value) : state_(std::in_place, std::forward<U>(value)) {}

  bool ok() const { return state_.has_value(); }

  // Only after ok(); else the process stops.
  const T& value() const& {
    WEFT_CHECK(ok());
    return *state_;
  }
  T& value() & {
    WEFT_CHECK(ok());
    return *state_;
  }
  // By value: `for (x : list().value())` must not walk through a temporary.
  T value() && {
    WEFT_CHECK(ok());
    return std::move(*state_);
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  // Only after !ok().
  const Error& error() const& {
    WEFT_CHECK(!ok());
    return state_.error();
  }
  Error&& error() && {
    WEFT_CHECK(!ok());
    return std::move(state_.error());
  }

 private:
  std::expected<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using ValueType = void;
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::unexpect, std::move(error)) {}

  bool ok() const { return state_.has_value(); }
  const Error& error() const& {
    WEFT_CHECK(!ok());
    return state_.error();
  }
  Error&& error() && {
    WEFT_CHECK(!ok());
    return std::move(state_.error());
  }

 private:
  std::expected<void, Error> state_;
};

using Status = Result<void>;

inline Status ok_status() {
  return {};
}

}  // namespace weft

#define WEFT_INTERNAL_CONCAT2(a, b) a##b
#define WEFT_INTERNAL_CONCAT(a, b) WEFT_INTERNAL_CONCAT2(a, b)
#define WEFT_INTERNAL_TRY(result, declaration, ...) \
  auto result = (__VA_ARGS__);                      \
  if (!result.ok()) [[unlikely]] {                  \
    return std::move(result).error();               \
  }                                                 \
  declaration = std::move(result).value()

// WEFT_TRY(declaration, expression): declares the value, or returns the error.
#define WEFT_TRY(declaration, ...) \
  WEFT_INTERNAL_TRY(WEFT_INTERNAL_CONCAT(weft_try_, __COUNTER__), declaration, __VA_ARGS__)

#define WEFT_INTERNAL_TRY_STATUS(status, ...) \
  do {                                        \
    auto status = (__VA_ARGS__);              \
    if (!status.ok()) [[unlikely]] {          \
      return std::move(status).error();       \
    }                                         \
  } while (false)

// WEFT_TRY_STATUS(expression): returns the error, if there is one. May nest (in a lambda).
#define WEFT_TRY_STATUS(...) \
  WEFT_INTERNAL_TRY_STATUS(WEFT_INTERNAL_CONCAT(weft_status_, __COUNTER__), __VA_ARGS__)
