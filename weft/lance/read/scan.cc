#include <algorithm>
#include <deque>

#include "weft/lance/read/file_content.h"

namespace weft::lance::read {
namespace {

class FileScan final : public Scan {
 public:
  FileScan(FileContent& file, Projection projection, IndexRange rows)
      : file_(file),
        projection_(std::move(projection)),
        rows_(rows),
        batch_rows_(std::max<uint64_t>(1, file.options().batch_rows_max)) {}

  Result<std::optional<columns::Batch>> next(std::stop_token stop) override {
    if (ready_.empty() && rows_.begin < rows_.end) {
      Status status = fill(stop);
      if (!status.ok()) {
        return file_.in_file(std::move(status).error());
      }
    }
    if (ready_.empty()) {
      return std::optional<columns::Batch>();
    }
    std::optional<columns::Batch> out(std::move(ready_.front()));
    ready_.pop_front();
    return out;
  }

 private:
  // What is being read of one batch.
  struct Part {
    IndexRange rows;
    std::unique_ptr<ReadMemory> memory;
    std::vector<columns::ArrayPtr> arrays;
  };

  // Looks at the metadata once: how many rows make a batch, and where the widest column has pages
  // (a batch that ends with a page of it needs no copy of plain values).
  Status plan() {
    if (is_planned_) {
      return ok_status();
    }
    is_planned_ = true;
    uint64_t bytes = 0;
    uint64_t widest = 0;
    if (file_.footer().version != layout::FileVersion::kV20) {
      for (const ProjectedField& field : projection_.fields) {
        if (field.columns.empty()) {
          continue;
        }
        WEFT_TRY(const auto leaves, file_.pages_of(field));
        for (const std::shared_ptr<ColumnPages>& leaf : leaves) {
          bytes += leaf->stored_bytes();
          if (leaf->stored_bytes() > widest) {
            widest = leaf->stored_bytes();
            page_ends_ = leaf->row_ends();
          }
        }
      }
    }
    const uint64_t per_row = bytes / std::max<uint64_t>(1, file_.row_count()) + 1;
    batch_rows_ = std::clamp<uint64_t>(file_.options().batch_bytes_max / per_row, 1, batch_rows_);
    return ok_status();
  }

  uint64_t batch_end(uint64_t begin) const {
    const uint64_t end = std::min(rows_.end, begin + batch_rows_);
    const auto page = std::upper_bound(page_ends_.begin(), page_ends_.end(), end);
    if (page != page_ends_.begin() && *(page - 1) > begin + batch_rows_ / 2) {
      return *(page - 1);
    }
    return end;
  }

  Status read(std::vector<Part>& parts, std::stop_token stop) {
    const size_t fields = projection_.fields.size();
    const auto task = [&](size_t index) -> Status {
      Part& part = parts[index / fields];
      const size_t field = index % fields;
      WEFT_TRY(part.arrays[field],
               file_.read_field(projection_.fields[field], std::span(&part.rows, 1),
                                part.rows.size(), *part.memory, stop));
      return ok_status();
    };
    base::InlineExecutor here;
    base::Executor* const executor = file_.options().executor;
    return (executor == nullptr ? here : *executor).for_each(parts.size() * fields, task, stop);
  }

  Status fill(std::stop_token stop) {
    WEFT_TRY_STATUS(plan());
    base::Executor* const executor = file_.options().executor;
    size_t ahead = executor == nullptr ? 1 : 2 * executor->width();
    while (true) {
      std::vector<Part> parts;
      uint64_t begin = rows_.begin;
      while (parts.size() < ahead && begin < rows_.end) {
        Part part;
        part.rows = {begin, batch_end(begin)};
        part.memory =
            std::make_unique<ReadMemory>(file_.options().budget, file_.options().memory_bytes_max);
        part.arrays.resize(projection_.fields.size());
        begin = part.rows.end;
        parts.push_back(std::move(part));
      }
      Status status = read(parts, stop);
      if (status.ok()) {
        rows_.begin = begin;
        return deliver(parts);
      }
      // Smaller batches, fewer at once, may fit.
      if (status.error().kind() != ErrorKind::kLimit || (ahead == 1 && batch_rows_ == 1)) {
        return status;
      }
      ahead = 1;
      page_ends_.clear();
      batch_rows_ = std::max<uint64_t>(1, parts.front().rows.size() / 2);
    }
  }

  Status deliver(std::vector<Part>& parts) {
    for (Part& part : parts) {
      WEFT_TRY(columns::Batch batch,
               columns::Batch::make(projection_.schema, std::move(part.arrays), part.rows.size()));
      ready_.push_back(std::move(batch));
    }
    return ok_status();
  }

  FileContent& file_;
  Projection projection_;
  IndexRange rows_;  // not yet read
  uint64_t batch_rows_;
  bool is_planned_ = false;
  std::vector<uint64_t> page_ends_;
  std::deque<columns::Batch> ready_;
};

}  // namespace

std::unique_ptr<Scan> make_scan(FileContent& file, Projection projection, IndexRange rows) {
  return std::make_unique<FileScan>(file, std::move(projection), rows);
}

}  // namespace weft::lance::read
