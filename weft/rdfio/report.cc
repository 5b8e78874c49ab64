#include "weft/rdfio/report.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace weft::rdfio {
namespace {

uint64_t line_of(const Error& error) {
  const std::string_view text = error.fact("line");
  uint64_t line = 0;
  std::from_chars(text.data(), text.data() + text.size(), line);
  return line;
}

}  // namespace

void skip_statement(ParseReport& report, const ParseOptions& options, Error error) {
  ++report.skipped;
  if (options.on_warning) {
    options.on_warning(error);
  }
  if (report.warnings.size() < kWarningsMax) {
    report.warnings.push_back(std::move(error));
  }
}

void merge_report(ParseReport& whole, ParseReport part) {
  whole.statements += part.statements;
  whole.skipped += part.skipped;
  whole.bytes += part.bytes;
  std::ranges::move(part.warnings, std::back_inserter(whole.warnings));
  std::ranges::sort(whole.warnings, {}, line_of);  // a line has at most one
  if (whole.warnings.size() > kWarningsMax) {
    whole.warnings.erase(whole.warnings.begin() + kWarningsMax, whole.warnings.end());
  }
}

}  // namespace weft::rdfio
