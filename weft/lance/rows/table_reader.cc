#include "weft/lance/rows/table_reader.h"

#include <algorithm>

#include "weft/columns/builder.h"
#include "weft/columns/select.h"
#include "weft/lance/rows/fragment_reader.h"

namespace weft::lance {
namespace {

using FragmentPtr = std::shared_ptr<FragmentReader>;

class FragmentScan final : public TableScan {
 public:
  FragmentScan(std::vector<FragmentPtr> fragments, columns::SchemaPtr schema,
               read::ReadOptions options)
      : fragments_(std::move(fragments)), schema_(std::move(schema)), options_(options) {}

  Result<std::optional<TableRows>> next(std::stop_token stop) override {
    while (true) {
      if (!is_open_) {
        if (next_ == fragments_.size()) {
          return std::optional<TableRows>();
        }
        WEFT_TRY_STATUS(open_fragment());
      }
      WEFT_TRY(std::optional<columns::Batch> batch, next_batch(stop));
      if (!batch) {
        is_open_ = false;
        scan_.reset();
        ++next_;
        continue;
      }
      WEFT_TRY(LiveRows live, current().live_of(*batch, position_));
      position_ += batch->row_count();
      if (!live.offsets.empty()) {
        return std::optional(TableRows{.batch = std::move(live.batch),
                                       .fragment_id = current().fragment().id,
                                       .offsets = std::move(live.offsets)});
      }
    }
  }

 private:
  FragmentReader& current() { return *fragments_[next_]; }

  Status open_fragment() {
    WEFT_TRY(projection_, current().project(schema_));
    position_ = 0;
    is_open_ = true;
    if (projection_.parts.size() == 1 && projection_.parts[0].file != nullptr) {
      const FragmentProjection::Part& part = projection_.parts[0];
      read::Projection in_order;
      in_order.schema = schema_;
      in_order.fields = part.projection.fields;
      WEFT_TRY(scan_, part.file->scan(in_order, {0, current().fragment().physical_rows}));
    }
    return ok_status();
  }

  Result<std::optional<columns::Batch>> next_batch(std::stop_token stop) {
    if (scan_ != nullptr) {
      return scan_->next(stop);
    }
    const uint64_t rows = current().fragment().physical_rows;
    if (position_ == rows) {
      return std::optional<columns::Batch>();
    }
    uint64_t count = std::min(options_.batch_rows_max, rows - position_);
    while (true) {
      Result<columns::Batch> batch =
          current().read(projection_, {position_, position_ + count}, stop);
      if (batch.ok()) {
        return std::optional<columns::Batch>(std::move(batch).value());
      }
      if (batch.error().kind() != ErrorKind::kLimit || count == 1) {
        return std::move(batch).error();
      }
      count = (count + 1) / 2;
    }
  }

  std::vector<FragmentPtr> fragments_;
  columns::SchemaPtr schema_;
  read::ReadOptions options_;
  size_t next_ = 0;  // the fragment that is or will be open
  bool is_open_ = false;
  FragmentProjection projection_;
  std::unique_ptr<read::Scan> scan_;
  uint64_t position_ = 0;  // physical, in the fragment
};

class TableFiles final : public TableReader {
 public:
  TableFiles(Snapshot snapshot, columns::SchemaPtr schema, read::ReadOptions options)
      : snapshot_(std::move(snapshot)), schema_(std::move(schema)), options_(options) {
    for (const Fragment& fragment : snapshot_.manifest().fragments) {
      fragments_.push_back(std::make_shared<FragmentReader>(snapshot_, fragment, options_));
      row_count_ += fragment.live_rows();
      row_ends_.push_back(row_count_);
    }
  }

  const Snapshot& snapshot() const override { return snapshot_; }
  const columns::SchemaPtr& schema() const override { return schema_; }
  uint64_t row_count() const override { return row_count_; }

  Result<std::unique_ptr<TableScan>> scan(const std::vector<std::string>& names,
                                          const std::vector<uint64_t>& fragment_ids) override {
    WEFT_TRY(columns::SchemaPtr chosen, choose(names));
    std::vector<FragmentPtr> fragments;
    for (const uint64_t id : fragment_ids) {
      WEFT_TRY(FragmentPtr fragment, fragment_of(id));
      fragments.push_back(std::move(fragment));
    }
    return std::make_unique<FragmentScan>(fragment_ids.empty() ? fragments_ : fragments,
                                          std::move(chosen), options_);
  }

  Result<columns::Batch> take(const std::vector<std::string>& names,
                              std::span<const uint64_t> positions, std::stop_token stop) override;
  Result<columns::Batch> take_addresses(const std::vector<std::string>& names,
                                        std::span<const uint64_t> addresses,
                                        std::stop_token stop) override;
  Result<TableVerification> verify(std::stop_token stop) override;

 private:
  // Wanted rows of one fragment: physical offsets, and where they stand in the answer.
  struct Wanted {
    std::vector<uint64_t> offsets;
    std::vector<uint64_t> places;
  };

  Result<columns::SchemaPtr> choose(const std::vector<std::string>& names) const {
    return names.empty() ? Result<columns::SchemaPtr>(schema_) : columns_of(snapshot_, names);
  }

  Result<FragmentPtr> fragment_of(uint64_t id) const {
    const auto found =
        std::find_if(fragments_.begin(), fragments_.end(),
                     [id](const FragmentPtr& fragment) { return fragment->fragment().id == id; });
    if (found == fragments_.end()) {
      return Error(ErrorKind::kNotFound, "there is no such fragment").with("fragment", id);
    }
    return *found;
  }

  // The physical offsets of the live rows `places` (their numbers among the live ones).
  static Result<std::vector<uint64_t>> physical(FragmentReader& fragment,
                                                const std::vector<uint64_t>& live) {
    WEFT_TRY(const Deletions* const deletions, fragment.deletions());
    if (deletions == nullptr) {
      return live;
    }
    const std::vector<uint32_t> offsets =
        deletions->live_offsets(0, fragment.fragment().physical_rows);
    std::vector<uint64_t> out;
    out.reserve(live.size());
    for (const uint64_t number : live) {
      if (number >= offsets.size()) {
        return Error(ErrorKind::kCorrupt, "a fragment has fewer live rows than its manifest says")
            .with("fragment", fragment.fragment().id);
      }
      out.push_back(offsets[number]);
    }
    return out;
  }

  Result<columns::Batch> gather(const columns::SchemaPtr& schema, std::vector<Wanted>& wanted,
                                uint64_t count, std::stop_token stop);

  Snapshot snapshot_;
  columns::SchemaPtr schema_;
  read::ReadOptions options_;
  std::vector<FragmentPtr> fragments_;
  std::vector<uint64_t> row_ends_;  // live rows up to the end of each fragment
  uint64_t row_count_ = 0;
};

Result<columns::Batch> TableFiles::gather(const columns::SchemaPtr& schema,
                                          std::vector<Wanted>& wanted, uint64_t count,
                                          std::stop_token stop) {
  std::vector<std::vector<columns::ArrayPtr>> arrays(schema->fields.size());
  std::vector<uint64_t> places(count);
  uint64_t next = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].offsets.empty()) {
      continue;
    }
    WEFT_TRY(const FragmentProjection projection, fragments_[i]->project(schema));
    WEFT_TRY(const columns::Batch batch, fragments_[i]->take(projection, wanted[i].offsets, stop));
    for (size_t k = 0; k < arrays.size(); ++k) {
      arrays[k].push_back(batch.column(k));
    }
    for (const uint64_t place : wanted[i].places) {
      places[place] = next++;
    }
  }
  std::vector<columns::ArrayPtr> joined;
  for (size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k].empty()) {
      return columns::Batch::make(schema, {}, 0);
    }
    WEFT_TRY(columns::ArrayPtr array, columns::concat(arrays[k]));
    joined.push_back(std::move(array));
  }
  WEFT_TRY(const columns::Batch batch, columns::Batch::make(schema, std::move(joined), count));
  if (std::is_sorted(places.begin(), places.end())) {
    return batch;
  }
  return columns::take(batch, places);
}

Error too_many_rows(uint64_t rows) {
  return Error(ErrorKind::kLimit, "too many rows to take at once")
      .with("rows", rows)
      .with("rows_max", read::kTakeRowsMax);
}

Result<columns::Batch> empty_batch(const columns::SchemaPtr& schema) {
  std::vector<columns::ArrayPtr> arrays;
  for (const columns::Field& field : schema->fields) {
    arrays.push_back(columns::ArrayBuilder(field.type).finish());
  }
  return columns::Batch::make(schema, std::move(arrays), 0);
}

Result<columns::Batch> TableFiles::take(const std::vector<std::string>& names,
                                        std::span<const uint64_t> positions, std::stop_token stop) {
  WEFT_TRY(const columns::SchemaPtr schema, choose(names));
  if (positions.size() > read::kTakeRowsMax) {
    return too_many_rows(positions.size());
  }
  if (positions.empty()) {
    return empty_batch(schema);
  }
  std::vector<Wanted> wanted(fragments_.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    const auto end = std::upper_bound(row_ends_.begin(), row_ends_.end(), positions[i]);
    if (end == row_ends_.end()) {
      return Error(ErrorKind::kInvalid, "a row beyond the end of the table")
          .with("row", positions[i])
          .with("rows", row_count_);
    }
    const auto index = static_cast<size_t>(end - row_ends_.begin());
    wanted[index].offsets.push_back(positions[i] - (index == 0 ? 0 : row_ends_[index - 1]));
    wanted[index].places.push_back(i);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i].offsets.empty()) {
      WEFT_TRY(wanted[i].offsets, physical(*fragments_[i], wanted[i].offsets));
    }
  }
  return gather(schema, wanted, positions.size(), std::move(stop));
}

Result<columns::Batch> TableFiles::take_addresses(const std::vector<std::string>& names,
                                                  std::span<const uint64_t> addresses,
                                                  std::stop_token stop) {
  WEFT_TRY(const columns::SchemaPtr schema, choose(names));
  if (addresses.size() > read::kTakeRowsMax) {
    return too_many_rows(addresses.size());
  }
  if (addresses.empty()) {
    return empty_batch(schema);
  }
  std::vector<Wanted> wanted(fragments_.size());
  for (size_t i = 0; i < addresses.size(); ++i) {
    const uint64_t id = addresses[i] >> 32U;
    const uint64_t offset = addresses[i] & 0xffff'ffffU;
    const auto found = std::lower_bound(fragments_.begin(), fragments_.end(), id,
                                        [](const FragmentPtr& fragment, uint64_t other) {
                                          return fragment->fragment().id < other;
                                        });
    bool is_there = found != fragments_.end() && (*found)->fragment().id == id &&
                    offset < (*found)->fragment().physical_rows;
    if (is_there) {
      WEFT_TRY(const Deletions* const deletions, (*found)->deletions());
      is_there = deletions == nullptr || !deletions->contains(static_cast<uint32_t>(offset));
    }
    if (!is_there) {
      return Error(ErrorKind::kNotFound, "there is no row with this address")
          .with("fragment", id)
          .with("offset", offset);
    }
    const auto index = static_cast<size_t>(found - fragments_.begin());
    wanted[index].offsets.push_back(offset);
    wanted[index].places.push_back(i);
  }
  return gather(schema, wanted, addresses.size(), std::move(stop));
}

Result<TableVerification> TableFiles::verify(std::stop_token stop) {
  TableVerification out;
  for (const FragmentPtr& fragment : fragments_) {
    WEFT_TRY(const Deletions* const deletions, fragment->deletions());
    ++out.fragments;
    const uint64_t deleted = deletions == nullptr ? 0 : deletions->count();
    out.deletion_files += deletions == nullptr ? 0 : 1;
    out.rows_deleted += deleted;
    out.rows += fragment->fragment().physical_rows - deleted;
    for (size_t i = 0; i < fragment->fragment().files.size(); ++i) {
      WEFT_TRY(read::DataFileReader* const file, fragment->file(i));
      WEFT_TRY_STATUS(file->verify(stop));
      ++out.data_files;
      out.bytes += file->size_bytes();
    }
  }
  // By the schema of the table too: what the files' own schemas do not say.
  WEFT_TRY(const std::unique_ptr<TableScan> rows, scan({}, {}));
  uint64_t count = 0;
  while (true) {
    WEFT_TRY(const std::optional<TableRows> some, rows->next(stop));
    if (!some) {
      break;
    }
    count += some->batch.row_count();
  }
  if (count != out.rows) {
    return Error(ErrorKind::kCorrupt, "a table has other rows than its manifest says")
        .with("rows", count)
        .with("expected", out.rows);
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<TableReader>> TableReader::open(Snapshot snapshot,
                                                       read::ReadOptions options) {
  WEFT_TRY_STATUS(check_readable(snapshot.manifest()));
  WEFT_TRY(columns::SchemaPtr schema, columns_of(snapshot, {}));
  return std::make_unique<TableFiles>(std::move(snapshot), std::move(schema), options);
}

}  // namespace weft::lance
