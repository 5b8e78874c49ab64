// Dates and times as texts of loads, literals and parameters give them.
//
//   date       2024-02-29  2024-2-9  20240229  -0001-01-01, or a date and time, whose time is
//   dropped date time  a date; or a date, one of T t blank, hh:mm:ss, perhaps a fraction (cut to
//              milliseconds), perhaps Z z +hh:mm -hh:mm +hhmm +hh. Without: UTC. Second 60 is the
//              next minute.
//
// Years have four digits; nothing stands before or behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::schema {

// Days since 1970-01-01 (the proleptic Gregorian calendar).
std::optional<int32_t> parse_date(std::string_view text);
// Milliseconds since 1970-01-01T00:00Z.
std::optional<int64_t> parse_date_time(std::string_view text);

// "2024-02-29", "-0001-01-01", "12024-01-01".
std::string date_text(int32_t days);
// "2024-02-29T00:00:00.000Z".
std::string date_time_text(int64_t milliseconds);

}  // namespace weft::schema
