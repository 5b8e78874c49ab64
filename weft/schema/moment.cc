#include "weft/schema/moment.h"

#include <array>
#include <cstdio>

namespace weft::schema {
namespace {

constexpr int64_t kMillisecondsPerDay = 86'400'000;

struct Civil {
  int64_t year;
  uint32_t month;
  uint32_t day;
};

// Both ways as in H. Hinnant, "chrono-compatible low-level date algorithms": years begin in March,
// eras have 400 years.
int64_t days_from_civil(Civil date) {
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto of_era = static_cast<uint32_t>(year - era * 400);
  const uint32_t of_year =
      (153 * (date.month + (date.month > 2 ? -3U : 9U)) + 2) / 5 + date.day - 1;
  const uint32_t day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return era * 146'097 + day_of_era - 719'468;
}

Civil civil_from_days(int64_t days) {
  days += 719'468;
  const int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const auto day_of_era = static_cast<uint32_t>(days - era * 146'097);
  const uint32_t of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const uint32_t of_year = day_of_era - (365 * of_era + of_era / 4 - of_era / 100);
  const uint32_t shifted = (5 * of_year + 2) / 153;
  const uint32_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {era * 400 + of_era + (month <= 2 ? 1 : 0), month, of_year - (153 * shifted + 2) / 5 + 1};
}

bool is_leap(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

uint32_t days_in_month(int64_t year, uint32_t month) {
  constexpr std::array<uint32_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

// Takes pieces from the front of a text.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }
  bool accept(char c) {
    if (text_.empty() || text_[0] != c) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }
  bool accept_any(std::string_view characters) {
    if (text_.empty() || characters.find(text_[0]) == std::string_view::npos) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }
  // At least `min` and at most `max` digits; nullopt if there are fewer, takes no more.
  std::optional<uint32_t> digits(size_t min, size_t max) {
    uint32_t value = 0;
    size_t count = 0;
    while (count < max && count < text_.size() && text_[count] >= '0' && text_[count] <= '9') {
      value = value * 10 + static_cast<uint32_t>(text_[count] - '0');
      ++count;
    }
    if (count < min) {
      return std::nullopt;
    }
    text_.remove_prefix(count);
    return value;
  }
  bool two_digits(uint32_t& out) {
    const auto value = digits(2, 2);
    out = value.value_or(0);
    return value.has_value();
  }
  bool next_is_digit() const { return !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; }

 private:
  std::string_view text_;
};

std::optional<int64_t> take_date(Pieces& pieces) {
  const bool negative = pieces.accept('-');
  const auto year = pieces.digits(4, 4);
  if (!year.has_value()) {
    return std::nullopt;
  }
  const bool compact = pieces.next_is_digit();
  if (!compact && !pieces.accept('-')) {
    return std::nullopt;
  }
  const auto month = pieces.digits(compact ? 2 : 1, 2);
  if (!month.has_value() || (!compact && !pieces.accept('-'))) {
    return std::nullopt;
  }
  const auto day = pieces.digits(compact ? 2 : 1, 2);
  const int64_t signed_year = negative ? -int64_t{*year} : int64_t{*year};
  if (!day.has_value() || *month < 1 || *month > 12 || *day < 1 ||
      *day > days_in_month(signed_year, *month)) {
    return std::nullopt;
  }
  return days_from_civil({signed_year, *month, *day});
}

// What stands behind the time: minutes east of UTC.
std::optional<int64_t> take_offset(Pieces& pieces) {
  if (pieces.done() || pieces.accept_any("Zz")) {
    return 0;
  }
  const bool west = pieces.accept('-');
  if (!west && !pieces.accept('+')) {
    return std::nullopt;
  }
  const auto hours = pieces.digits(2, 2);
  std::optional<uint32_t> minutes = 0;
  if (pieces.accept(':') || pieces.next_is_digit()) {
    minutes = pieces.digits(2, 2);
  }
  if (!hours.has_value() || !minutes.has_value() || *hours > 23 || *minutes > 59) {
    return std::nullopt;
  }
  const int64_t offset = int64_t{*hours} * 60 + *minutes;
  return west ? -offset : offset;
}

std::optional<uint32_t> take_fraction(Pieces& pieces) {
  uint32_t milliseconds = 0;
  uint32_t scale = 100;
  if (!pieces.next_is_digit()) {
    return std::nullopt;
  }
  while (pieces.next_is_digit()) {
    milliseconds += *pieces.digits(1, 1) * scale;
    scale /= 10;
  }
  return milliseconds;
}

std::optional<int64_t> take_date_time(Pieces& pieces) {
  const auto days = take_date(pieces);
  if (!days.has_value() || pieces.done()) {
    return days.has_value() ? std::optional<int64_t>(*days * kMillisecondsPerDay) : std::nullopt;
  }
  if (!pieces.accept_any("Tt ")) {
    return std::nullopt;
  }
  uint32_t hour = 0;
  uint32_t minute = 0;
  uint32_t second = 0;
  if (!pieces.two_digits(hour) || !pieces.accept(':') || !pieces.two_digits(minute) ||
      !pieces.accept(':') || !pieces.two_digits(second) || hour > 23 || minute > 59 ||
      second > 60) {
    return std::nullopt;
  }
  std::optional<uint32_t> fraction = 0;
  if (pieces.accept('.')) {
    fraction = take_fraction(pieces);
  }
  const auto offset = take_offset(pieces);
  if (!fraction.has_value() || !offset.has_value() || !pieces.done()) {
    return std::nullopt;
  }
  const int64_t minutes = *days * 1440 + int64_t{hour} * 60 + minute - *offset;
  return (minutes * 60 + second) * 1000 + *fraction;
}

}  // namespace

std::optional<int32_t> parse_date(std::string_view text) {
  Pieces pieces(text);
  const auto days = take_date(pieces);
  if (days.has_value() && pieces.done()) {
    return static_cast<int32_t>(*days);
  }
  // The day as it is written: the offset does not move it.
  Pieces whole(text);
  if (!days.has_value() || !take_date_time(whole).has_value()) {
    return std::nullopt;
  }
  return static_cast<int32_t>(*days);
}

std::optional<int64_t> parse_date_time(std::string_view text) {
  Pieces pieces(text);
  const auto milliseconds = take_date_time(pieces);
  return pieces.done() ? milliseconds : std::nullopt;
}

std::string date_text(int32_t days) {
  const Civil date = civil_from_days(days);
  const bool negative = date.year < 0;
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%s%04lld-%02u-%02u", negative ? "-" : "",
                static_cast<long long>(negative ? -date.year : date.year), date.month, date.day);
  return buffer.data();
}

std::string date_time_text(int64_t milliseconds) {
  int64_t days = milliseconds / kMillisecondsPerDay;
  int64_t rest = milliseconds % kMillisecondsPerDay;
  if (rest < 0) {
    rest += kMillisecondsPerDay;
    --days;
  }
  const Civil date = civil_from_days(days);
  const bool negative = date.year < 0;
  const auto part = [rest](int64_t unit, int64_t count) {
    return static_cast<unsigned>(rest / unit % count);
  };
  std::array<char, 96> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%s%04lld-%02u-%02uT%02u:%02u:%02u.%03uZ",
                negative ? "-" : "", static_cast<long long>(negative ? -date.year : date.year),
                date.month, date.day, part(3'600'000, 24), part(60'000, 60), part(1000, 60),
                part(1, 1000));
  return buffer.data();
}

}  // namespace weft::schema
