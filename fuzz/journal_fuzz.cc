// Journals. The first lines of a journal deliver a prefix of its changes; every delivered token is
// canonical.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/check.h"
#include "weft/journal/journal.h"
#include "weft/rdf/term.h"

namespace {

struct Taken final : weft::journal::ChangeSink {
  std::vector<std::string> changes;
  weft::Status change(bool insert, const weft::rdf::QuadView& quad) override {
    std::string line = insert ? "+" : "-";
    for (const std::string_view token : {quad.subject, quad.predicate, quad.object, quad.graph}) {
      WEFT_CHECK(weft::rdf::is_canonical(token) ||
                 (token.empty() && token.data() == quad.graph.data()));
      line += ' ';
      line += token;
    }
    changes.push_back(std::move(line));
    return weft::ok_status();
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Taken whole;
  const auto report = weft::journal::read_journal(text, "j", whole);
  if (!report.ok()) {
    return 0;
  }
  WEFT_CHECK(report->change_count == whole.changes.size());
  WEFT_CHECK(report->cut_bytes == 0 || report->cut_offset + report->cut_bytes == size);
  // Cutting what was reported as torn changes nothing else.
  Taken kept;
  const auto again =
      weft::journal::read_journal(text.substr(0, size - report->cut_bytes), "j", kept);
  WEFT_CHECK(again.ok() && again->cut_bytes == 0 && kept.changes == whole.changes);
  // The lines of half of it deliver what was there, in this order. Not its last line where that has
  // no newline: it may seem to be whole, and more bytes show it to be another.
  const std::string_view half = text.substr(0, text.substr(0, size / 2).rfind('\n') + 1);
  Taken torn;
  const auto cut = weft::journal::read_journal(half, "j", torn);
  if (cut.ok()) {
    WEFT_CHECK(torn.changes.size() <= whole.changes.size());
    WEFT_CHECK(std::equal(torn.changes.begin(), torn.changes.end(), whole.changes.begin()));
  }
  return 0;
}
