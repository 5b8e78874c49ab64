#include <algorithm>
#include <utility>

#include "weft/quads/graph_log.h"

namespace weft::quads {
namespace {

struct IgnoreChanges final : journal::ChangeSink {
  Status change(bool /*insert*/, const rdf::QuadView& /*quad*/) override { return ok_status(); }
};

}  // namespace

bool StatusReport::verified() const {
  return !journal_error.has_value() &&
         std::ranges::none_of(segments, [](const SegmentStatus& s) { return s.error.has_value(); });
}

Result<SegmentStatus> GraphLog::status_of(size_t entry, manifest::Role role,
                                          const manifest::SegmentPin& pin,
                                          const StatusRequest& request) {
  SegmentStatus status;
  status.entry = entry;
  status.role = role;
  status.pin = pin;
  status.address = manifest::resolve(place_.address, pin.url);
  std::vector<manifest::LogEntry> log(1);
  (role == manifest::Role::kAdds ? log[0].adds : log[0].dels) = pin;
  Result<std::unique_ptr<SegmentSet>> opened =
      SegmentSet::open(log, place_.address, tools_.opener, tools_.fold);
  if (!opened.ok()) {
    status.error = std::move(opened).error();
    return status;
  }
  const rete::SegmentFacts& facts = (*opened)->facts(0);
  status.is_checked = (*opened)->is_checked(0);
  status.quad_count = facts.quad_count;
  status.has_pyramid = facts.pyramid_levels > 0;
  status.permutation_mask = facts.permutation_mask;
  if (request.verify) {
    WEFT_TRY(std::unique_ptr<storage::ObjectReader> reader, tools_.opener.open(status.address));
    Result<rete::VerifyReport> verified = rete::verify(
        std::move(reader), {.executor = &tools_.executor, .progress = {}, .stop = request.stop});
    if (!verified.ok()) {
      if (verified.error().kind() == ErrorKind::kCancelled) {
        return std::move(verified).error();
      }
      status.error = std::move(verified).error();
    } else {
      status.is_checked = true;
    }
  }
  return status;
}

void GraphLog::add_journal(const manifest::Manifest& current, StatusReport& report) {
  const std::string address = journal::journal_of(place_.address);
  Result<std::unique_ptr<storage::ObjectReader>> reader = tools_.opener.open_growing(address);
  if (!reader.ok()) {
    if (reader.error().kind() != ErrorKind::kNotFound) {
      report.journal_address = address;
      report.journal_error = std::move(reader).error();
    }
    return;
  }
  report.journal_address = address;
  IgnoreChanges ignore;
  std::optional<journal::JournalPosition> sealed;
  if (const std::optional<manifest::SealMark> mark = current.sealed(); mark.has_value()) {
    sealed = {.journal_id = mark->journal_id, .sequence = mark->sequence};
  }
  Result<journal::JournalReport> read = journal::read_journal(**reader, ignore, sealed);
  if (read.ok()) {
    report.journal = std::move(read).value();
  } else {
    report.journal_error = std::move(read).error();
  }
}

Result<StatusReport> GraphLog::status(const StatusRequest& request) {
  // Before the manifest is read: see Fold::open.
  Result<std::unique_ptr<storage::ObjectReader>> journal =
      tools_.opener.open_growing(journal::journal_of(place_.address));
  WEFT_TRY(const manifest::LoadedManifest loaded, manifests_.load());
  StatusReport report;
  report.name = loaded.manifest.name();
  report.generation = loaded.manifest.generation();
  report.log_entries = loaded.manifest.log().size();
  for (size_t entry = 0; entry < loaded.manifest.log().size(); ++entry) {
    const manifest::LogEntry& log_entry = loaded.manifest.log()[entry];
    if (log_entry.adds.has_value()) {
      report.segments.push_back({.entry = entry,
                                 .role = manifest::Role::kAdds,
                                 .pin = *log_entry.adds,
                                 .address = {},
                                 .error = {}});
    }
    if (log_entry.dels.has_value()) {
      report.segments.push_back({.entry = entry,
                                 .role = manifest::Role::kDels,
                                 .pin = *log_entry.dels,
                                 .address = {},
                                 .error = {}});
    }
  }
  WEFT_TRY_STATUS(tools_.executor.for_each(
      report.segments.size(),
      [&](size_t i) -> Status {
        SegmentStatus& segment = report.segments[i];
        WEFT_TRY(segment, status_of(segment.entry, segment.role, segment.pin, request));
        return ok_status();
      },
      request.stop));
  add_journal(loaded.manifest, report);
  if (request.count && report.verified()) {
    WEFT_TRY(const std::shared_ptr<Fold> fold,
             Fold::open(loaded.manifest, place_.address,
                        journal.ok() ? std::move(journal).value() : nullptr, tools_.opener,
                        tools_.fold));
    WEFT_TRY(report.visible_quads, fold->quad_count(request.stop));
  }
  return report;
}

}  // namespace weft::quads
