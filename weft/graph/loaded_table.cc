#include "weft/graph/loaded_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/graph/value_text.h"

namespace weft::graph {
namespace {

uint64_t array_bytes(const columns::Array& array) {
  const columns::ArrayParts& parts = array.parts();
  uint64_t bytes = parts.validity.size() + parts.offsets.size() + parts.values.size();
  for (const columns::ArrayPtr& child : parts.children) {
    bytes += array_bytes(*child);
  }
  return bytes;
}

}  // namespace

size_t DigestHash::operator()(const codec::Digest16& digest) const {
  size_t hash = 0;
  std::memcpy(&hash, digest.data(), sizeof(hash));
  return hash;
}

bool is_bounded(const schema::Cardinality& cardinality) {
  return cardinality.min > 0 || cardinality.max.has_value();
}

uint64_t batch_bytes(const columns::Batch& batch) {
  uint64_t bytes = 0;
  for (const columns::ArrayPtr& column : batch.columns()) {
    bytes += array_bytes(*column);
  }
  return bytes;
}

LoadedTable::LoadedTable(const TypeTable& table, std::string life, lance::RowOptions options,
                         bool keep, uint64_t waiting_rows_max, uint64_t waiting_bytes_max)
    : table_(table),
      life_(std::move(life)),
      options_(std::move(options)),
      keep_(keep),
      waiting_rows_max_(std::min(waiting_rows_max, kWaitingRowsMax)),
      waiting_bytes_max_(waiting_bytes_max),
      has_cardinality_(table.is_edge() && is_bounded(table.edge()->cardinality)) {
  for (const std::vector<std::string>& members : table.type().uniques) {
    LoadedUnique& unique = uniques_.emplace_back();
    unique.members = members;
    for (const std::string& member : members) {
      unique.columns.push_back(table.columns()->index_of(member));
    }
  }
}

Status LoadedTable::note_rows(const ndjson::TypedBatch& batch) {
  if (row_count_ + batch.rows.row_count() >= RowIndex::kNone) {
    return Error(ErrorKind::kLimit, "a load has too many rows of one type")
        .with("type", table_.name())
        .with("rows_max", uint64_t{RowIndex::kNone} - 1);
  }
  const auto first = static_cast<uint32_t>(row_count_);
  const columns::Batch& rows = batch.rows;
  if (batch.has_given_ids || !uniques_.empty() || has_cardinality_) {
    lines_.resize(first, 0);
    lines_.insert(lines_.end(), batch.lines.begin(), batch.lines.end());
  }
  has_given_ids_ = has_given_ids_ || batch.has_given_ids;
  for (uint32_t row = 0; row < rows.row_count(); ++row) {
    ids_.add(id_digest(rows.column(0)->text(row)), first + row);
  }
  for (LoadedUnique& unique : uniques_) {
    for (uint32_t row = 0; row < rows.row_count(); ++row) {
      if (const auto digest = tuple_digest(rows, unique.columns, row); digest.has_value()) {
        unique.values.add(*digest, first + row);
      }
    }
  }
  for (uint32_t row = 0; has_cardinality_ && row < rows.row_count(); ++row) {
    const std::string_view source = rows.column(1)->text(row);
    row_sources_.push_back(id_digest(source));
    SourceCount& count = sources_[row_sources_.back()];
    if (count.edges++ == 0) {
      count.row = first + row;
      count.id = source;
    }
  }
  row_count_ += rows.row_count();
  return ok_status();
}

Status LoadedTable::open_writer() {
  WEFT_TRY(const lance::TableReader* const reader, table_.reader());
  const lance::Snapshot& snapshot = reader->snapshot();
  writer_ = std::make_unique<lance::RowWriter>(location(), snapshot.manifest().file_version,
                                               options_.stage, snapshot.manifest().fields,
                                               options_.write);
  return ok_status();
}

std::string LoadedTable::id_of(uint32_t row) const {
  for (const columns::Batch& batch : waiting_) {
    if (row < batch.row_count()) {
      return std::string(batch.column(0)->text(row));
    }
    row -= static_cast<uint32_t>(batch.row_count());
  }
  return "";
}

Status LoadedTable::spill() {
  if (!keep_ || waiting_.empty()) {
    return ok_status();
  }
  if (writer_ == nullptr) {
    WEFT_TRY_STATUS(open_writer());
  }
  for (const columns::Batch& batch : waiting_) {
    WEFT_TRY_STATUS(writer_->append(batch));
  }
  waiting_.clear();
  waiting_bytes_ = 0;
  return ok_status();
}

Status LoadedTable::add(const ndjson::TypedBatch& batch) {
  WEFT_TRY_STATUS(note_rows(batch));
  if (!keep_) {
    return ok_status();
  }
  if (writer_ != nullptr) {
    return writer_->append(batch.rows);
  }
  waiting_.push_back(batch.rows);
  waiting_bytes_ += batch_bytes(batch.rows);
  return row_count_ > waiting_rows_max_ || waiting_bytes_ > waiting_bytes_max_ ? spill()
                                                                               : ok_status();
}

Status LoadedTable::finish() {
  if (has_given_ids_ || !table_.is_edge()) {
    ids_.build();
  }
  for (LoadedUnique& unique : uniques_) {
    unique.values.build();
  }
  if (writer_ != nullptr) {
    WEFT_TRY(fragments_, writer_->finish());
    writer_.reset();
  }
  return ok_status();
}

lance::TableLocation LoadedTable::location() const {
  return {table_.store(), table_.entry().path, life_};
}

void LoadedTable::discard() {
  const lance::TableLocation at = location();
  for (const lance::Fragment& fragment : fragments_) {
    for (const lance::DataFile& file : fragment.files) {
      // What stays is swept like everything that was never published.
      const Status removed =
          at.store->remove(at.object(std::string(lance::kDataFolder) + file.path));
      static_cast<void>(removed);
    }
  }
  fragments_.clear();
  writer_.reset();
}

}  // namespace weft::graph
