#include "weft/json/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace weft::json {
namespace {

template <typename T>
std::optional<T> parse_whole(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

Value Value::boolean(bool value) {
  Value result;
  result.state_ = value;
  return result;
}

Value Value::number(uint64_t value) {
  return number_text(std::to_string(value));
}

Value Value::number(int64_t value) {
  return number_text(std::to_string(value));
}

Value Value::number(double value) {
  if (!std::isfinite(value)) {
    return {};
  }
  char buffer[32];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value);
  WEFT_CHECK(error == std::errc{});
  return number_text({buffer, static_cast<size_t>(end - buffer)});
}

Value Value::number_text(std::string_view spelling) {
  Value result;
  result.state_ = Number{std::string(spelling)};
  return result;
}

Value Value::string(std::string_view text) {
  Value result;
  result.state_ = std::string(text);
  return result;
}

Value Value::array() {
  return array({});
}

Value Value::array(Array items) {
  Value result;
  result.state_ = std::move(items);
  return result;
}

Value Value::object() {
  Value result;
  result.state_ = Object{};
  return result;
}

std::optional<bool> Value::as_boolean() const {
  const bool* value = std::get_if<bool>(&state_);
  return value == nullptr ? std::nullopt : std::optional<bool>(*value);
}

std::optional<uint64_t> Value::as_uint64() const {
  const Number* number = std::get_if<Number>(&state_);
  return number == nullptr ? std::nullopt : parse_whole<uint64_t>(number->spelling);
}

std::optional<int64_t> Value::as_int64() const {
  const Number* number = std::get_if<Number>(&state_);
  return number == nullptr ? std::nullopt : parse_whole<int64_t>(number->spelling);
}

std::optional<double> Value::as_double() const {
  const Number* number = std::get_if<Number>(&state_);
  return number == nullptr ? std::nullopt : parse_whole<double>(number->spelling);
}

std::string_view Value::number_spelling() const {
  const Number* number = std::get_if<Number>(&state_);
  return number == nullptr ? std::string_view() : number->spelling;
}

const Value::Array& Value::items() const {
  static const Array kNone;
  const Array* items = std::get_if<Array>(&state_);
  return items == nullptr ? kNone : *items;
}

const Value::Object& Value::members() const {
  static const Object kNone;
  const Object* members = std::get_if<Object>(&state_);
  return members == nullptr ? kNone : *members;
}

Value::Array& Value::mutable_items() {
  WEFT_CHECK(is_array());
  return std::get<Array>(state_);
}

const Value* Value::find(std::string_view name) const {
  const Object& all = members();
  const auto found = std::ranges::find(all, name, &Member::name);
  return found == all.end() ? nullptr : &found->value;
}

Value* Value::find(std::string_view name) {
  return const_cast<Value*>(std::as_const(*this).find(name));
}

void Value::set(std::string_view name, Value value) {
  WEFT_CHECK(is_object());
  if (Value* present = find(name); present != nullptr) {
    *present = std::move(value);
  } else {
    std::get<Object>(state_).push_back({std::string(name), std::move(value)});
  }
}

void Value::remove(std::string_view name) {
  if (Object* members = std::get_if<Object>(&state_); members != nullptr) {
    std::erase_if(*members, [name](const Member& member) { return member.name == name; });
  }
}

bool operator==(const Value& a, const Value& b) {
  return a.state_ == b.state_;
}

}  // namespace weft::json
