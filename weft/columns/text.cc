// Elements as text, for people, logs and tests.
#include <array>
#include <charconv>
#include <cmath>

#include "weft/columns/array.h"

namespace weft::columns {
namespace {

template <typename T>
std::string number_text(T value) {
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc() ? std::string(buffer.data(), end) : std::string("?");
}

float half_to_float(uint16_t bits) {
  const bool negative = (bits & 0x8000U) != 0;
  const unsigned exponent = (bits >> 10U) & 0x1fU;
  const auto fraction = static_cast<float>(bits & 0x3ffU);
  float value = 0;
  if (exponent == 0x1fU) {
    value = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(fraction + 1024.0F, static_cast<int>(exponent) - 25);
  }
  return negative ? -value : value;
}

std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (octet < 0x20 || octet == 0x7f) {
      out += "\\u00";
      out.push_back(kHex[octet >> 4U]);
      out.push_back(kHex[octet & 15U]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
  return out;
}

std::string hex_text(ByteView bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "0x";
  for (const std::byte each : bytes) {
    out.push_back(kHex[static_cast<unsigned>(each) >> 4U]);
    out.push_back(kHex[static_cast<unsigned>(each) & 15U]);
  }
  return out;
}

std::string padded(int64_t value, size_t digits) {
  std::string text = std::to_string(value < 0 ? -value : value);
  text.insert(0, text.size() < digits ? digits - text.size() : 0, '0');
  return value < 0 ? "-" + text : text;
}

// Days since 1970-01-01 as a date of the proleptic Gregorian calendar.
std::string date_text(int64_t days) {
  const int64_t shifted = days + 719'468;  // since 0000-03-01
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
  const int64_t day_of_era = shifted - era * 146'097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_index = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2);
}

int64_t ticks_per_second(TimeUnit unit) {
  constexpr std::array<int64_t, 4> kTicks = {1, 1000, 1'000'000, 1'000'000'000};
  return kTicks[static_cast<size_t>(unit)];
}

std::string time_text(int64_t ticks, TimeUnit unit) {
  const int64_t per_second = ticks_per_second(unit);
  const int64_t seconds = ticks / per_second;
  std::string out = padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" +
                    padded(seconds % 60, 2);
  if (unit != TimeUnit::kSecond) {
    out += "." + padded(ticks % per_second, 3 * static_cast<size_t>(unit));
  }
  return out;
}

std::string timestamp_text(int64_t ticks, TimeUnit unit, bool has_zone) {
  const int64_t per_day = ticks_per_second(unit) * 86'400;
  const int64_t days = ticks >= 0 ? ticks / per_day : -((-(ticks + 1)) / per_day) - 1;
  const int64_t rest = ticks - days * per_day;
  return date_text(days) + "T" + time_text(rest, unit) + (has_zone ? "Z" : "");
}

// Two's complement, low byte first, as a decimal number with `scale` digits behind the point.
std::string decimal_text(ByteView bytes, int32_t scale) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  const bool negative = (words.back() >> 31U) != 0;
  if (negative) {
    uint64_t carry = 1;
    for (uint32_t& word : words) {
      carry += ~word;
      word = static_cast<uint32_t>(carry);
      carry >>= 32U;
    }
  }
  std::string digits;  // lowest first
  bool any = true;
  while (any) {
    uint64_t rest = 0;
    any = false;
    for (size_t i = words.size(); i-- > 0;) {
      rest = rest << 32U | words[i];
      words[i] = static_cast<uint32_t>(rest / 10);
      rest %= 10;
      any = any || words[i] != 0;
    }
    digits.push_back(static_cast<char>('0' + rest));
  }
  if (scale < 0 && digits != "0") {
    digits.insert(0, static_cast<size_t>(-scale), '0');
  }
  const size_t point = scale > 0 ? static_cast<size_t>(scale) : 0;
  if (digits.size() <= point) {
    digits.append(point + 1 - digits.size(), '0');
  }
  std::string out(digits.rbegin(), digits.rend());
  if (point != 0) {
    out.insert(out.size() - point, 1, '.');
  }
  return negative ? "-" + out : out;
}

std::string items_text(const Array& array, size_t index) {
  const auto [from, to] = array.list_range(index);
  const Array& items = *array.child(0);
  std::string out;
  for (size_t i = from; i < to; ++i) {
    out += i == from ? "" : ", ";
    if (array.id() == TypeId::kMap) {
      const size_t position = items.parts().offset + i;
      out +=
          element_text(*items.child(0), position) + ": " + element_text(*items.child(1), position);
    } else {
      out += element_text(items, i);
    }
  }
  return array.id() == TypeId::kMap ? "{" + out + "}" : "[" + out + "]";
}

std::string struct_text(const Array& array, size_t index) {
  std::string out = "{";
  for (size_t i = 0; i < array.parts().children.size(); ++i) {
    out += (i == 0 ? "" : ", ") + array.type()->children()[i].name + ": " +
           element_text(*array.child(i), array.parts().offset + index);
  }
  return out + "}";
}

}  // namespace

std::string element_text(const Array& array, size_t index) {
  if (array.is_null(index)) {
    return "null";
  }
  const Type& type = *array.type();
  switch (type.id()) {
    case TypeId::kNull:
      return "null";
    case TypeId::kBool:
      return array.boolean(index) ? "true" : "false";
    case TypeId::kUint64:
      return number_text(array.value<uint64_t>(index));
    case TypeId::kHalf:
      return number_text(half_to_float(array.value<uint16_t>(index)));
    case TypeId::kFloat:
      return number_text(array.value<float>(index));
    case TypeId::kDouble:
      return number_text(array.value<double>(index));
    case TypeId::kString:
    case TypeId::kLargeString:
      return quoted(array.text(index));
    case TypeId::kBinary:
    case TypeId::kLargeBinary:
      return hex_text(as_bytes(array.text(index)));
    case TypeId::kFixedBinary:
      return hex_text(array.fixed(index));
    case TypeId::kDecimal128:
    case TypeId::kDecimal256:
      return decimal_text(array.fixed(index), type.scale());
    case TypeId::kDate32:
      return date_text(array.integer(index));
    case TypeId::kDate64:
      return timestamp_text(array.integer(index), TimeUnit::kMilli, false);
    case TypeId::kTime32:
    case TypeId::kTime64:
      return time_text(array.integer(index), type.unit());
    case TypeId::kTimestamp:
      return timestamp_text(array.integer(index), type.unit(), !type.zone().empty());
    case TypeId::kDuration:
      return number_text(array.integer(index)) + std::string(time_unit_name(type.unit()));
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kFixedSizeList:
    case TypeId::kMap:
      return items_text(array, index);
    case TypeId::kStruct:
      return struct_text(array, index);
    case TypeId::kDictionary:
      return element_text(*array.parts().dictionary, static_cast<size_t>(array.integer(index)));
    default:
      return number_text(array.integer(index));
  }
}

std::string array_text(const Array& array, size_t elements_max) {
  std::string out = "[";
  for (size_t i = 0; i < array.length() && i < elements_max; ++i) {
    out += (i == 0 ? "" : ", ") + element_text(array, i);
  }
  if (array.length() > elements_max) {
    out += ", … " + std::to_string(array.length() - elements_max) + " more";
  }
  return out + "]";
}

}  // namespace weft::columns
