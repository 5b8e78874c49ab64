// Versions that are left beside a table under a detached name, and brought to its head later.
#include "tests/interop/lance_request_table.h"
#include "tests/interop/lance_requests.h"

namespace weft::interop {
namespace {

lance::RowOptions with_copies(Table& table) {
  lance::RowOptions options = table.options();
  options.stage.keep_copies = true;
  return options;
}

Status leave(Table& table, const StagedTransaction& staged) {
  WEFT_TRY_STATUS(lance::put_staged(*table.store, staged.objects_detached()));
  print_ok(std::to_string(staged.detached_version) + " " + std::to_string(staged.version));
  return {};
}

// detach_append … FIELDS BATCHES. Answers the detached version and the number that it is meant for.
Status detach_append(const Words& words) {
  WEFT_TRY(const Rows rows, read_rows(words[3], words[4]));
  WEFT_TRY(const auto table, open_table(words));
  WEFT_TRY(const Snapshot base, lance::open_latest(table->location));
  WEFT_TRY(const StagedTransaction staged,
           lance::stage_append(base, rows.batches, with_copies(*table)));
  return leave(*table, staged);
}

// detach_delete … KEYS FIELDS BATCHES. The same.
Status detach_delete(const Words& words) {
  WEFT_TRY(const Rows rows, read_rows(words[4], words[5]));
  WEFT_TRY(const auto table, open_table(words));
  const lance::RowOptions options = with_copies(*table);
  WEFT_TRY(const Snapshot base, lance::open_latest(table->location));
  WEFT_TRY(std::vector<uint64_t> addresses,
           lance::find_keys(base, rows.batches.at(0), names(words[3]), options.read));
  WEFT_TRY(const StagedTransaction staged,
           lance::stage_delete(base, std::move(addresses), options));
  return leave(*table, staged);
}

// follow … DETACHED VERSION. Answers 1 if the head is that version now.
Status follow(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  WEFT_TRY(const lance::FollowResult result,
           lance::follow(table->location, number(words[3]), number(words[4])));
  print_ok(result.outcome == lance::FollowOutcome::kTaken ? "0" : "1");
  return {};
}

}  // namespace

const std::map<std::string, Request>& staged_requests() {
  static const std::map<std::string, Request> kRequests = {
      {"detach_append", detach_append}, {"detach_delete", detach_delete}, {"follow", follow}};
  return kRequests;
}

}  // namespace weft::interop
