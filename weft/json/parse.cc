#include <algorithm>
#include <exception>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weft/json/value.h"

namespace weft::json {
namespace {

struct Place {
  uint64_t line = 1;
  uint64_t column = 1;
};

Place place_of(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t last_newline = before.rfind('\n');
  Place place;
  place.line = 1 + static_cast<uint64_t>(std::ranges::count(before, '\n'));
  place.column = before.size() - (last_newline == std::string_view::npos ? 0 : last_newline + 1);
  return place;
}

Error not_json(std::string_view text, size_t offset, std::string_view reason) {
  const Place place = place_of(text, offset);
  return Error(ErrorKind::kInvalid, "invalid JSON")
      .with("line", place.line)
      .with("column", place.column)
      .with("reason", reason);
}

// Drops all but the last of equally named members, keeping the order of the rest.
void keep_last_of_equal_names(Value::Object& members) {
  if (members.size() < 2) {
    return;
  }
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {},
                    [&](size_t i) { return std::pair(std::string_view(members[i].name), i); });
  std::vector<bool> dropped(members.size());
  bool any = false;
  for (size_t i = 1; i < order.size(); ++i) {
    if (members[order[i]].name == members[order[i - 1]].name) {
      dropped[order[i - 1]] = any = true;
    }
  }
  if (!any) {
    return;
  }
  size_t kept = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    if (!dropped[i]) {
      if (kept != i) {
        members[kept] = std::move(members[i]);
      }
      ++kept;
    }
  }
  members.resize(kept);
}

}  // namespace

// Takes nlohmann's events. Returning false stops the parser.
class DocumentBuilder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  DocumentBuilder(std::string_view text, const ParseLimits& limits)
      : text_(text), limits_(limits) {}

  bool null() { return add({}); }
  bool boolean(bool value) { return add(Value::boolean(value)); }
  bool number_integer(number_integer_t value) {
    return add(Value::number(static_cast<int64_t>(value)));
  }
  bool number_unsigned(number_unsigned_t value) {
    return add(Value::number(static_cast<uint64_t>(value)));
  }
  bool number_float(number_float_t /*value*/, const string_t& spelling) {
    return add(Value::number_text(spelling));
  }
  bool string(string_t& value) { return add(Value::string(value)); }
  bool binary(binary_t& /*value*/) { return false; }

  bool start_object(size_t /*count*/) { return push(Value::object()); }
  bool start_array(size_t /*count*/) { return push(Value::array()); }
  bool key(string_t& name) {
    open_.back().name = std::move(name);
    return true;
  }
  bool end_object() {
    keep_last_of_equal_names(std::get<Value::Object>(open_.back().value.state_));
    return pop();
  }
  bool end_array() { return pop(); }

  bool parse_error(size_t position, const std::string& /*last*/,
                   const nlohmann::detail::exception& reason) {
    error_ = not_json(text_, position, reason.what());
    return false;
  }

  Result<Value> finish(bool complete) {
    if (error_.has_value()) {
      return std::move(*error_);
    }
    if (!complete) {
      return Error(ErrorKind::kInvalid, "invalid JSON");
    }
    return std::move(root_);
  }

 private:
  struct Open {
    Value value;
    std::string name;  // of the member that is being read
  };

  bool counted() {
    if (++value_count_ > limits_.values_max) {
      error_ = Error(ErrorKind::kLimit, "JSON document has too many values")
                   .with("values_max", limits_.values_max);
      return false;
    }
    return true;
  }

  bool add(Value value) { return counted() && place(std::move(value)); }

  bool place(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (auto* items = std::get_if<Value::Array>(&open_.back().value.state_)) {
      items->push_back(std::move(value));
    } else {
      std::get<Value::Object>(open_.back().value.state_)
          .push_back({std::move(open_.back().name), std::move(value)});
    }
    return true;
  }

  bool push(Value value) {
    if (open_.size() >= limits_.depth_max) {
      error_ = Error(ErrorKind::kLimit, "JSON document is nested too deeply")
                   .with("depth_max", uint64_t{limits_.depth_max});
      return false;
    }
    if (!counted()) {
      return false;
    }
    open_.push_back({std::move(value), {}});
    return true;
  }

  bool pop() {
    Value value = std::move(open_.back().value);
    open_.pop_back();
    return place(std::move(value));
  }

  std::string_view text_;
  const ParseLimits& limits_;
  std::vector<Open> open_;
  Value root_;
  uint64_t value_count_ = 0;
  std::optional<Error> error_;
};

Result<Value> parse(std::string_view text, const ParseLimits& limits) {
  if (text.size() > limits.size_max_bytes) {
    return Error(ErrorKind::kLimit, "JSON document is too large")
        .with("size_bytes", text.size())
        .with("size_max_bytes", limits.size_max_bytes);
  }
  // The library would skip it; RFC 8259, section 8.1, allows to refuse it, and rete does.
  if (text.starts_with("\xEF\xBB\xBF")) {
    return not_json(text, 1, "byte-order mark");
  }
  DocumentBuilder builder(text, limits);
  try {
    const bool complete = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return builder.finish(complete);
  } catch (const std::exception& exception) {
    return not_json(text, 0, exception.what());
  }
}

}  // namespace weft::json
