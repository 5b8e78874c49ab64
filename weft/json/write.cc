#include <algorithm>
#include <string>
#include <vector>

#include "weft/json/value.h"

namespace weft::json {
namespace {

class Writer {
 public:
  Writer(std::string& out, const WriteOptions& options) : out_(out), options_(options) {}

  // Recursion is bounded by the depth of the document, which parse() bounds.
  void write(const Value& value) {
    if (value.is_array()) {
      write_array(value.items());
    } else if (value.is_object()) {
      write_object(value.members());
    } else if (const std::string* text = value.as_string(); text != nullptr) {
      append_quoted(out_, *text);
    } else if (value.is_number()) {
      out_ += value.number_spelling();
    } else if (const auto boolean = value.as_boolean(); boolean.has_value()) {
      out_ += *boolean ? "true" : "false";
    } else {
      out_ += "null";
    }
  }

 private:
  void new_line() {
    if (options_.indent > 0) {
      out_ += '\n';
      out_.append(size_t{options_.indent} * depth_, ' ');
    }
  }

  template <typename Range, typename WriteOne>
  void write_list(char open, char close, const Range& range, WriteOne write_one) {
    out_ += open;
    ++depth_;
    bool first = true;
    for (const auto& each : range) {
      if (!first) {
        out_ += ',';
      }
      first = false;
      new_line();
      write_one(each);
    }
    --depth_;
    if (!first) {
      new_line();
    }
    out_ += close;
  }

  void write_array(const Value::Array& items) {
    write_list('[', ']', items, [this](const Value& item) { write(item); });
  }

  void write_object(const Value::Object& members) {
    std::vector<const Member*> order;
    order.reserve(members.size());
    for (const Member& member : members) {
      order.push_back(&member);
    }
    if (options_.sort_members) {
      std::ranges::sort(order, {}, [](const Member* m) { return std::string_view(m->name); });
    }
    write_list('{', '}', order, [this](const Member* member) {
      append_quoted(out_, member->name);
      out_ += options_.indent > 0 ? ": " : ":";
      write(member->value);
    });
  }

  std::string& out_;
  const WriteOptions& options_;
  size_t depth_ = 0;
};

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (octet < 0x20) {
          out += "\\u00";
          out += kHex[octet >> 4U];
          out += kHex[octet & 15U];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

std::string write(const Value& value, const WriteOptions& options) {
  std::string out;
  Writer(out, options).write(value);
  return out;
}

}  // namespace weft::json
