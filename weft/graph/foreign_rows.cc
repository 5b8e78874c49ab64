#include "weft/graph/foreign_rows.h"

#include <utility>

namespace weft::graph {
namespace {

Result<std::vector<ForeignVersion>> versions_of(const lance::TableLocation& location,
                                                uint64_t first) {
  WEFT_TRY(const lance::VersionList list, lance::list_versions(location));
  std::vector<ForeignVersion> versions;
  for (const lance::VersionEntry& entry : list.versions) {
    if (entry.version < first || versions.size() == kForeignVersionsNamedMax) {
      continue;
    }
    ForeignVersion& named = versions.emplace_back();
    named.version = entry.version;
    const auto opened = lance::open_version(location, entry.version, entry.naming);
    if (!opened.ok()) {
      continue;
    }
    auto read = opened->transaction();
    if (!read.ok()) {
      continue;
    }
    const std::optional<lance::Transaction> transaction = std::move(read).value();
    if (transaction.has_value()) {
      named.operation = lance::operation_name(transaction->operation);
    }
  }
  return versions;
}

}  // namespace

Result<std::unique_ptr<ForeignRows>> ForeignRows::make(const catalog::CatalogPlace& place,
                                                       const TypeTable& published,
                                                       txn::Capture::Standing standing) {
  if (!standing.report.head.has_value()) {
    return Error(ErrorKind::kInternal, "a table without rows of others is looked at for them")
        .with("table", published.key());
  }
  lance::Snapshot newest = *standing.report.head;
  std::unique_ptr<ForeignRows> made(
      new ForeignRows(published, std::move(standing), std::move(newest)));
  const txn::HeadReport& report = made->standing_.report;
  const auto table_of = [&](const lance::Snapshot& version) {
    return std::make_unique<TypeTable>(place, published.entry(), published.node(), published.edge(),
                                       version);
  };
  made->after_ = table_of(made->newest_);
  const auto reader = made->after_->reader();
  if (!reader.ok() && !reader.error().fact("expected").empty()) {
    made->obstacle_ = kOtherColumns;
  } else if (!reader.ok()) {
    return reader.error();
  }
  if (report.base.has_value()) {
    made->before_ = table_of(*report.base);
  } else if (made->obstacle_.empty()) {
    made->obstacle_ = kUnknownBeginning;
  }
  return made;
}

Status ForeignRows::each(const std::function<Status(const RowDifference&)>& take,
                         const std::stop_token& stop) const {
  return diff_tables(*before_, *after_, take, stop);
}

Status ForeignRows::each_of_ours(const std::function<Status(const RowDifference&)>& take,
                                 const std::stop_token& stop) const {
  const std::optional<lance::Snapshot>& base = standing_.report.base;
  const bool is_pin = !base.has_value() || base->version() == standing_.pinned.version();
  return is_pin ? ok_status() : diff_tables(*before_, published_, take, stop);
}

Result<ForeignTable> ForeignRows::describe(const std::stop_token& stop) const {
  const txn::HeadReport& report = standing_.report;
  const catalog::TableEntry& entry = published_.entry();
  ForeignTable table;
  table.type = published_.name();
  table.is_edge = published_.is_edge();
  table.key = entry.key;
  table.path = entry.path;
  table.native_branch = entry.pin.ref;
  table.published_version = entry.pin.head_version;
  table.head_version = newest_.version();
  table.obstacle = obstacle_;
  WEFT_TRY(table.versions, versions_of(newest_.location(), report.first_version));
  if (!obstacle_.empty()) {
    return table;
  }
  const auto count = [&](const RowDifference& row) {
    switch (row.kind) {
      case RowDifferenceKind::kAdded:
        ++table.added;
        break;
      case RowDifferenceKind::kChanged:
        ++table.changed;
        break;
      case RowDifferenceKind::kRemoved:
        ++table.removed;
        break;
    }
    return ok_status();
  };
  WEFT_TRY_STATUS(each(count, stop));
  return table;
}

}  // namespace weft::graph
