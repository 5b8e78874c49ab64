// Dates, times and durations as text: XSD 1.1 part 2, 3.3.6 to 3.3.15 and 3.4.26 to 3.4.27.
#include <charconv>
#include <cstdlib>
#include <limits>
#include <span>

#include "weft/rdf/value_internal.h"

namespace weft::rdf {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;
constexpr size_t kFractionDigitsMax = 18;
// What partial dates are completed with: a leap year, a long month.
constexpr int64_t kReferenceYear = 1972;
constexpr uint32_t kReferenceMonth = 12;

// Reads a lexical form from left to right; once something is wrong it stays wrong.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return offset_ == text_.size(); }
  bool good() const { return good_; }
  bool done() const { return good_ && at_end(); }
  char peek() const { return at_end() ? '\0' : text_[offset_]; }
  bool take(char c) {
    const bool taken = peek() == c;
    offset_ += taken ? 1 : 0;
    return taken;
  }
  void expect(char c) { good_ = take(c) && good_; }
  void fail() { good_ = false; }

  // Between `least` and `most` digits; the value is at most 10^18.
  int64_t digits(size_t least, size_t most) {
    const size_t begin = offset_;
    while (!at_end() && text_[offset_] >= '0' && text_[offset_] <= '9') {
      ++offset_;
    }
    const size_t count = offset_ - begin;
    if (count < least || count > most) {
      fail();
      return 0;
    }
    int64_t value = 0;
    std::from_chars(text_.data() + begin, text_.data() + offset_, value);
    last_count_ = count;
    return value;
  }
  size_t last_count() const { return last_count_; }

  // "." digits, as attoseconds; 0 if there is no point.
  int64_t fraction() {
    if (!take('.')) {
      return 0;
    }
    const size_t begin = offset_;
    while (!at_end() && text_[offset_] >= '0' && text_[offset_] <= '9') {
      ++offset_;
    }
    std::string_view part = text_.substr(begin, offset_ - begin);
    if (part.empty()) {
      fail();
    }
    while (!part.empty() && part.back() == '0') {
      part.remove_suffix(1);
    }
    if (part.size() > kFractionDigitsMax) {
      fail();
      return 0;
    }
    int64_t value = 0;
    std::from_chars(part.data(), part.data() + part.size(), value);
    return value * small_power_of_ten(static_cast<uint32_t>(kFractionDigitsMax - part.size()));
  }

 private:
  std::string_view text_;
  size_t offset_ = 0;
  size_t last_count_ = 0;
  bool good_ = true;
};

struct Fields {
  int64_t year = kReferenceYear;
  int64_t month = kReferenceMonth;
  int64_t day = 1;
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t attoseconds = 0;
  std::optional<int16_t> timezone;
};

int64_t read_year(Reader& in) {
  const bool negative = in.take('-');
  const bool zero = in.peek() == '0';
  const int64_t year = in.digits(4, 9);
  if (zero && in.last_count() > 4) {
    in.fail();
  }
  return negative ? -year : year;
}

void read_time(Reader& in, Fields& fields) {
  fields.hour = in.digits(2, 2);
  in.expect(':');
  fields.minute = in.digits(2, 2);
  in.expect(':');
  fields.second = in.digits(2, 2);
  fields.attoseconds = in.fraction();
  const bool end_of_day =
      fields.hour == 24 && fields.minute == 0 && fields.second == 0 && fields.attoseconds == 0;
  if ((fields.hour > 23 && !end_of_day) || fields.minute > 59 || fields.second > 59) {
    in.fail();
  }
}

void read_timezone(Reader& in, Fields& fields) {
  if (in.at_end()) {
    return;
  }
  if (in.take('Z')) {
    fields.timezone = int16_t{0};
    return;
  }
  const bool negative = in.peek() == '-';
  if (!in.take('-')) {
    in.expect('+');
  }
  const int64_t hours = in.digits(2, 2);
  in.expect(':');
  const int64_t minutes = in.digits(2, 2);
  if (minutes > 59 || hours > 14 || (hours == 14 && minutes != 0)) {
    in.fail();
  }
  const int64_t offset = hours * 60 + minutes;
  fields.timezone = static_cast<int16_t>(negative ? -offset : offset);
}

void read_fields(Reader& in, ValueKind kind, Fields& fields) {
  const auto dashes = [&in](int count) {
    for (int i = 0; i < count; ++i) {
      in.expect('-');
    }
  };
  switch (kind) {
    case ValueKind::kDateTime:
    case ValueKind::kDate:
      fields.year = read_year(in);
      dashes(1);
      fields.month = in.digits(2, 2);
      dashes(1);
      fields.day = in.digits(2, 2);
      if (kind == ValueKind::kDateTime) {
        in.expect('T');
        read_time(in, fields);
      }
      return;
    case ValueKind::kTime:
      fields.month = 12;
      fields.day = 31;
      read_time(in, fields);
      fields.hour %= 24;
      return;
    case ValueKind::kGYear:
      fields.year = read_year(in);
      fields.month = 1;
      return;
    case ValueKind::kGYearMonth:
      fields.year = read_year(in);
      dashes(1);
      fields.month = in.digits(2, 2);
      return;
    case ValueKind::kGMonth:
      dashes(2);
      fields.month = in.digits(2, 2);
      return;
    case ValueKind::kGMonthDay:
      dashes(2);
      fields.month = in.digits(2, 2);
      dashes(1);
      fields.day = in.digits(2, 2);
      return;
    case ValueKind::kGDay:
      dashes(3);
      fields.day = in.digits(2, 2);
      return;
    default:
      in.fail();
  }
}

void append_padded(std::string& out, int64_t value, size_t width) {
  const std::string digits = std::to_string(value);
  out.append(width > digits.size() ? width - digits.size() : 0, '0').append(digits);
}

void append_fraction(std::string& out, int64_t attoseconds) {
  if (attoseconds == 0) {
    return;
  }
  out.push_back('.');
  append_padded(out, attoseconds, kFractionDigitsMax);
  while (out.back() == '0') {
    out.pop_back();
  }
}

void append_timezone(std::string& out, int16_t minutes) {
  if (minutes == 0) {
    out.push_back('Z');
    return;
  }
  out.push_back(minutes < 0 ? '-' : '+');
  append_padded(out, std::abs(minutes) / 60, 2);
  out.push_back(':');
  append_padded(out, std::abs(minutes) % 60, 2);
}

void append_year(std::string& out, int64_t year) {
  if (year < 0) {
    out.push_back('-');
  }
  append_padded(out, std::abs(year), 4);
}

// One "number unit" part of a duration: what it counts in, and where it is added.
struct DurationPart {
  char unit;
  int64_t factor;
  int64_t* sum;
};

bool add_scaled(int64_t& sum, int64_t value, int64_t factor) {
  int64_t product = 0;
  return !__builtin_mul_overflow(value, factor, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

// Reads parts in the order of `parts`, each at most once; true if there was at least one. Only
// seconds may have a fraction.
bool read_parts(Reader& in, std::span<const DurationPart> parts, int64_t& attoseconds) {
  bool any = false;
  size_t next = 0;
  while (in.good() && in.peek() >= '0' && in.peek() <= '9') {
    const int64_t value = in.digits(1, 18);
    const bool fractional = in.peek() == '.';
    const int64_t fraction = in.fraction();
    while (next < parts.size() && parts[next].unit != in.peek()) {
      ++next;
    }
    if (next == parts.size() || (fractional && parts[next].unit != 'S') ||
        !add_scaled(*parts[next].sum, value, parts[next].factor)) {
      in.fail();
      return any;
    }
    in.take(parts[next].unit);
    attoseconds += fraction;
    ++next;
    any = true;
  }
  return any;
}

}  // namespace

// Days and dates by eras of 400 years that begin on March 1.
int64_t days_from_civil(int64_t year, uint32_t month, uint32_t day) {
  constexpr int64_t kYearsPerEra = 400;
  constexpr int64_t kDaysPerEra = 146'097;
  constexpr int64_t kDaysToUnixEpoch = 719'468;  // from 0000-03-01
  const int64_t shifted = month <= 2 ? year - 1 : year;
  const int64_t era = (shifted >= 0 ? shifted : shifted - (kYearsPerEra - 1)) / kYearsPerEra;
  const int64_t year_of_era = shifted - era * kYearsPerEra;
  const int64_t month_from_march = (month + 9) % 12;
  const int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kDaysToUnixEpoch;
}

CivilDate civil_from_days(int64_t days) {
  constexpr int64_t kDaysPerEra = 146'097;
  const int64_t shifted = days + 719'468;
  const int64_t era = (shifted >= 0 ? shifted : shifted - (kDaysPerEra - 1)) / kDaysPerEra;
  const int64_t day_of_era = shifted - era * kDaysPerEra;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  CivilDate date;
  date.day = static_cast<uint8_t>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  date.month =
      static_cast<uint8_t>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

uint32_t days_in_month(int64_t year, uint32_t month) {
  if (month == 2) {
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return leap ? 29 : 28;
  }
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

Value parse_time(std::string_view lexical, ValueKind kind) {
  Reader in(lexical);
  Fields fields;
  read_fields(in, kind, fields);
  read_timezone(in, fields);
  if (!in.done() || fields.month < 1 || fields.month > 12 || fields.day < 1) {
    return {};
  }
  const auto month = static_cast<uint32_t>(fields.month);
  if (fields.day > days_in_month(fields.year, month)) {
    return {};
  }
  const int64_t days = days_from_civil(fields.year, month, static_cast<uint32_t>(fields.day));
  const int64_t seconds =
      days * kSecondsPerDay + fields.hour * 3600 + fields.minute * 60 + fields.second;
  return ValueAccess::time(kind, {0, seconds, fields.attoseconds}, fields.timezone);
}

Value parse_duration(std::string_view lexical, ValueKind kind) {
  ValueAccess::Seconds value = {0, 0, 0};
  const DurationPart date_parts[] = {
      {'Y', 12, &value.months}, {'M', 1, &value.months}, {'D', kSecondsPerDay, &value.seconds}};
  const DurationPart time_parts[] = {
      {'H', 3600, &value.seconds}, {'M', 60, &value.seconds}, {'S', 1, &value.seconds}};
  std::span<const DurationPart> allowed(date_parts);
  if (kind == ValueKind::kYearMonthDuration) {
    allowed = allowed.first(2);
  } else if (kind == ValueKind::kDayTimeDuration) {
    allowed = allowed.subspan(2);
  }
  Reader in(lexical);
  const bool negative = in.take('-');
  in.expect('P');
  bool any = read_parts(in, allowed, value.attoseconds);
  if (kind != ValueKind::kYearMonthDuration && in.take('T')) {
    any = read_parts(in, time_parts, value.attoseconds);  // none behind a T is an error
  }
  if (!any || !in.done()) {
    return {};
  }
  if (negative) {
    value = {-value.months, -value.seconds, -value.attoseconds};
  }
  return ValueAccess::time(kind, value, std::nullopt);
}

std::string duration_text(const Value& value) {
  const ValueAccess::Seconds& parts = ValueAccess::seconds(value);
  const bool negative = parts.months < 0 || parts.seconds < 0 || parts.attoseconds < 0;
  std::string out = negative ? "-P" : "P";
  const int64_t months = std::abs(parts.months);
  const int64_t seconds = std::abs(parts.seconds);
  const auto part = [&out](int64_t amount, char unit) {
    if (amount != 0) {
      out.append(std::to_string(amount)).push_back(unit);
    }
  };
  part(months / 12, 'Y');
  part(months % 12, 'M');
  part(seconds / kSecondsPerDay, 'D');
  const int64_t rest = seconds % kSecondsPerDay;
  if (rest != 0 || parts.attoseconds != 0) {
    out.push_back('T');
    part(rest / 3600, 'H');
    part(rest / 60 % 60, 'M');
    if (rest % 60 != 0 || parts.attoseconds != 0) {
      out.append(std::to_string(rest % 60));
      append_fraction(out, std::abs(parts.attoseconds));
      out.push_back('S');
    }
  }
  if (out == "P") {
    out += value.kind() == ValueKind::kYearMonthDuration ? "0M" : "T0S";
  }
  return out;
}

std::optional<DateTimeParts> Value::date_time_parts() const {
  if (kind_ < ValueKind::kDateTime || kind_ > ValueKind::kGDay) {
    return std::nullopt;
  }
  int64_t seconds = payload_.time.seconds % kSecondsPerDay;
  seconds += seconds < 0 ? kSecondsPerDay : 0;
  const CivilDate date = civil_from_days((payload_.time.seconds - seconds) / kSecondsPerDay);
  DateTimeParts parts;
  parts.year = date.year;
  parts.month = date.month;
  parts.day = date.day;
  parts.hour = static_cast<uint8_t>(seconds / 3600);
  parts.minute = static_cast<uint8_t>(seconds / 60 % 60);
  parts.second = static_cast<uint8_t>(seconds % 60);
  parts.attosecond = static_cast<uint64_t>(payload_.time.attoseconds);
  parts.timezone_minutes = ValueAccess::timezone(*this);
  return parts;
}

std::string time_text(const Value& value) {
  const DateTimeParts parts = value.date_time_parts().value_or(DateTimeParts{});
  const ValueKind kind = value.kind();
  std::string out;
  const bool whole_date = kind == ValueKind::kDateTime || kind == ValueKind::kDate;
  if (whole_date || kind == ValueKind::kGYear || kind == ValueKind::kGYearMonth) {
    append_year(out, parts.year);
  }
  if (whole_date || kind == ValueKind::kGYearMonth) {
    out.push_back('-');
    append_padded(out, parts.month, 2);
  } else if (kind == ValueKind::kGMonth || kind == ValueKind::kGMonthDay) {
    out += "--";
    append_padded(out, parts.month, 2);
  }
  if (whole_date || kind == ValueKind::kGMonthDay) {
    out.push_back('-');
    append_padded(out, parts.day, 2);
  } else if (kind == ValueKind::kGDay) {
    out += "---";
    append_padded(out, parts.day, 2);
  }
  if (kind == ValueKind::kDateTime) {
    out.push_back('T');
  }
  if (kind == ValueKind::kDateTime || kind == ValueKind::kTime) {
    append_padded(out, parts.hour, 2);
    out.push_back(':');
    append_padded(out, parts.minute, 2);
    out.push_back(':');
    append_padded(out, parts.second, 2);
    append_fraction(out, static_cast<int64_t>(parts.attosecond));
  }
  if (parts.timezone_minutes.has_value()) {
    append_timezone(out, *parts.timezone_minutes);
  }
  return out;
}

}  // namespace weft::rdf
