#include "weft/lance/write/data_file_writer.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "weft/lance/write/file_output.h"
#include "weft/lance/write/leaf.h"
#include "weft/lance/write/page_encoder.h"
#include "weft/lance/write/shredder.h"

namespace weft::lance::write {

using columns::Batch;
using columns::Type;
using columns::TypeId;

namespace {

constexpr uint64_t kPageBytesMin = 4096;
constexpr uint64_t kPageBytesMax = uint64_t{1} << 30U;
constexpr uint64_t kMemoryBytesMin = uint64_t{1} << 20U;
// Of a batch this much is taken apart at a time, all columns together.
constexpr uint64_t kSliceBytes = uint64_t{16} << 20U;
// Below this, waking threads costs more than they save.
constexpr uint64_t kParallelBytes = uint64_t{256} << 10U;
// Full pages that may wait to be encoded together, at most.
constexpr size_t kWaitingPagesMax = 8;

// Whether arrays of type `given` may fill a field of type `wanted`: nullability is looked at value
// by value, names inside lists do not matter, and a dictionary stands for its values.
bool fits(const Type& given, const Type& wanted) {
  if (given.id() == TypeId::kDictionary) {
    return fits(*given.value_type(), wanted);
  }
  if (wanted.id() == TypeId::kDictionary) {
    return fits(given, *wanted.value_type());
  }
  if (given.id() != wanted.id() || given.children().size() != wanted.children().size()) {
    return false;
  }
  if (given.children().empty()) {
    return given == wanted;
  }
  if (given.id() == TypeId::kFixedSizeList && given.list_size() != wanted.list_size()) {
    return false;
  }
  for (size_t i = 0; i < given.children().size(); ++i) {
    const columns::Field& left = given.children()[i];
    const columns::Field& right = wanted.children()[i];
    if ((given.id() == TypeId::kStruct && left.name != right.name) ||
        !fits(*left.type, *right.type)) {
      return false;
    }
  }
  return true;
}

// The rows of a leaf that do not fill a page yet.
struct OpenPage {
  PageRows rows;
  uint64_t used = 0;
  // What the page before took: the next one will take about as much, and need not be copied while
  // it grows.
  size_t values_before = 0;
  size_t offsets_before = 0;
};

// A full page on its way to the file.
struct FullPage {
  size_t leaf = 0;
  PageRows rows;
  uint64_t end_row() const { return rows.first_row + rows.row_count; }
};

struct WriterParts {
  std::string name;
  std::vector<layout::SchemaField> fields;
  columns::Schema schema;
  std::vector<Leaf> leaves;
  base::Executor* executor = nullptr;
  base::MemoryBudget* budget = nullptr;  // may be null
};

class Writer final : public DataFileWriter {
 public:
  Writer(WriterParts parts, const DataFileOptions& options, FileOutput output)
      : parts_(std::move(parts)),
        leaves_(parts_.leaves),
        version_(options.version),
        output_(std::move(output)),
        executor_(*parts_.executor),
        budget_(parts_.budget),
        open_(leaves_.size()) {
    // Not by the number of threads: the pages must be the same for any (W2).
    const uint64_t share = options.memory_bytes_max / (2 * leaves_.size() + 2 * kWaitingPagesMax);
    page_bytes_ = std::clamp(options.page_bytes, kPageBytesMin, std::max(share, kPageBytesMin));
    slice_bytes_ = std::clamp(options.memory_bytes_max / 16, kPageBytesMin, kSliceBytes);
  }

  Status append(const Batch& batch) override {
    WEFT_TRY_STATUS(check(batch));
    for (size_t begin = 0; begin < batch.row_count();) {
      WEFT_TRY(const size_t end, slice_end(batch, begin));
      WEFT_TRY_STATUS(append_slice(batch, begin, end));
      begin = end;
    }
    return ok_status();
  }

  uint64_t size_so_far() const override {
    uint64_t bytes = output_.size();
    for (const OpenPage& page : open_) {
      bytes += page.used;
    }
    for (const FullPage& page : full_) {
      bytes += page.rows.values.size();
    }
    for (const auto& [leaf, page] : encoded_) {
      bytes += page.bytes();
    }
    return bytes;
  }
  uint64_t row_count() const override { return row_count_; }

  Result<DataFileSummary> finish() override {
    for (size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      if (open_[leaf].rows.row_count > 0) {
        full_.push_back({leaf, std::exchange(open_[leaf].rows, {})});
      }
    }
    WEFT_TRY_STATUS(run_wave(0, nullptr));
    WEFT_TRY_STATUS(write_encoded());
    layout::FileDescriptor descriptor;
    descriptor.fields = parts_.fields;
    descriptor.metadata = parts_.schema.metadata;
    descriptor.row_count = row_count_;
    WEFT_TRY(const storage::PutOutcome outcome, output_.finish(descriptor, version_));
    if (outcome == storage::PutOutcome::kLost) {
      return Error(ErrorKind::kAlreadyExists, "data file exists already")
          .with("object", parts_.name);
    }
    DataFileSummary summary;
    summary.name = parts_.name;
    summary.row_count = row_count_;
    summary.size_bytes = output_.size();
    summary.version = version_;
    for (size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      summary.field_ids.push_back(leaves_[leaf].field_id);
      summary.column_indices.push_back(static_cast<int32_t>(leaf));
    }
    return summary;
  }

 private:
  Status check(const Batch& batch) const {
    if (batch.column_count() != parts_.schema.fields.size()) {
      return Error(ErrorKind::kInvalid, "batch has another number of columns than the file")
          .with("columns", batch.column_count())
          .with("wanted", parts_.schema.fields.size());
    }
    for (size_t i = 0; i < parts_.schema.fields.size(); ++i) {
      if (!fits(*batch.column(i)->type(), *parts_.schema.fields[i].type)) {
        return Error(ErrorKind::kInvalid, "column has another type than the file")
            .with("field", parts_.schema.fields[i].name)
            .with("type", batch.column(i)->type()->to_string())
            .with("wanted", parts_.schema.fields[i].type->to_string());
      }
    }
    return ok_status();
  }

  // As many rows as one slice takes, and memory for them.
  Result<size_t> slice_end(const Batch& batch, size_t begin) {
    size_t end = batch.row_count();
    for (const Leaf& leaf : leaves_) {
      const RowShare share = rows_that_fill(*batch.column(leaf.top_level), leaf, begin, end,
                                            slice_bytes_ / leaves_.size() + 1);
      end = begin + share.row_count;
    }
    if (budget_ != nullptr) {
      uint64_t needed = 0;
      for (const Leaf& leaf : leaves_) {
        // Gathered, encoded, and what is between.
        needed +=
            3 * rows_that_fill(*batch.column(leaf.top_level), leaf, begin, end, ~uint64_t{0}).used;
      }
      for (const OpenPage& page : open_) {
        needed += page.rows.memory_bytes();
      }
      for (const FullPage& page : full_) {
        needed += 3 * page.rows.memory_bytes();
      }
      for (const auto& [leaf, page] : encoded_) {
        needed += page.bytes();
      }
      uint64_t held = 0;
      for (const base::Reservation& reservation : held_) {
        held += reservation.bytes();
      }
      if (needed > held) {
        WEFT_TRY(base::Reservation more, budget_->reserve(needed - held));
        held_.push_back(std::move(more));
      }
    }
    return end;
  }

  // One wave: pages encoded before are written, full pages encoded, the slice taken apart; the
  // longest first.
  Status append_slice(const Batch& batch, size_t begin, size_t end) {
    std::vector<std::vector<FullPage>> full(leaves_.size());
    const auto take_apart = [&](size_t leaf) {
      return append_leaf(leaf, *batch.column(leaves_[leaf].top_level), begin, end, full[leaf]);
    };
    uint64_t bytes = 0;
    for (const Leaf& leaf : leaves_) {
      bytes += (end - begin) * std::max<uint64_t>(8, leaf.shape.gathered_bytes());
    }
    if (bytes < kParallelBytes) {
      for (size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
        WEFT_TRY_STATUS(take_apart(leaf));
      }
    } else {
      WEFT_TRY_STATUS(run_wave(leaves_.size(), take_apart));
    }
    row_count_ += end - begin;
    // In the order of the rows that filled them, which no cutting into batches changes (W2).
    const auto first_new = static_cast<ptrdiff_t>(full_.size());
    for (std::vector<FullPage>& pages : full) {
      std::move(pages.begin(), pages.end(), std::back_inserter(full_));
    }
    std::sort(full_.begin() + first_new, full_.end(), [](const FullPage& a, const FullPage& b) {
      return a.end_row() != b.end_row() ? a.end_row() < b.end_row() : a.leaf < b.leaf;
    });
    if (full_.size() >= kWaitingPagesMax) {
      return run_wave(0, nullptr);
    }
    return ok_status();
  }

  Status append_leaf(size_t index, const columns::Array& column, size_t begin, size_t end,
                     std::vector<FullPage>& full) {
    const Leaf& leaf = leaves_[index];
    OpenPage& page = open_[index];
    while (begin < end) {
      if (page.rows.row_count == 0) {
        page.rows.values.reserve(page.values_before);
        page.rows.offsets.reserve(page.offsets_before);
      }
      const RowShare share = rows_that_fill(column, leaf, begin, end, page_bytes_ - page.used);
      WEFT_TRY_STATUS(shred(column, leaf, begin, begin + share.row_count, page.rows));
      page.used += share.used;
      begin += share.row_count;
      if (page.used >= page_bytes_) {
        // A little more, as texts vary.
        constexpr size_t kSlack = 32;
        page.values_before = page.rows.values.size() + page.rows.values.size() / kSlack;
        page.offsets_before = page.rows.offsets.size() + page.rows.offsets.size() / kSlack;
        const uint64_t next_row = page.rows.first_row + page.rows.row_count;
        full.push_back({index, std::exchange(page.rows, {})});
        page.rows.first_row = next_row;
        page.used = 0;
      }
    }
    return ok_status();
  }

  // While pages are encoded, those encoded before are written and `more` is done: all that are
  // full so far.
  Status run_wave(size_t more_count, const std::function<Status(size_t)>& more) {
    std::vector<FullPage> full = std::exchange(full_, {});
    // Texts take longest.
    std::vector<size_t> order(full.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_partition(order.begin(), order.end(), [&](size_t i) {
      return leaves_[full[i].leaf].shape.kind == ValueKind::kText;
    });
    std::vector<std::vector<EncodedPage>> encoded(full.size());
    // Waking threads costs more than a few rows do.
    uint64_t bytes = 0;
    for (const FullPage& page : full) {
      bytes += page.rows.memory_bytes();
    }
    base::InlineExecutor here;
    base::Executor& executor = more_count == 0 && bytes < kParallelBytes ? here : executor_;
    WEFT_TRY_STATUS(executor.for_each(1 + full.size() + more_count, [&](size_t task) -> Status {
      if (task == 0) {
        return write_encoded();
      }
      if (task > full.size()) {
        return more(task - 1 - full.size());
      }
      const size_t i = order[task - 1];
      WEFT_TRY(encoded[i],
               encode_page(std::exchange(full[i].rows, {}), leaves_[full[i].leaf], version_));
      return ok_status();
    }));
    for (size_t i = 0; i < full.size(); ++i) {
      for (EncodedPage& page : encoded[i]) {
        encoded_.emplace_back(full[i].leaf, std::move(page));
      }
    }
    return ok_status();
  }

  Status write_encoded() {
    for (auto& [leaf, page] : encoded_) {
      WEFT_TRY_STATUS(output_.add_page(leaf, page));
      page = {};
    }
    encoded_.clear();
    return ok_status();
  }

  WriterParts parts_;
  const std::vector<Leaf>& leaves_;
  layout::FileVersion version_;
  FileOutput output_;
  base::Executor& executor_;
  base::MemoryBudget* budget_;
  uint64_t page_bytes_ = 0;
  uint64_t slice_bytes_ = 0;
  std::vector<OpenPage> open_;
  std::vector<FullPage> full_;
  std::vector<std::pair<size_t, EncodedPage>> encoded_;
  std::vector<base::Reservation> held_;
  uint64_t row_count_ = 0;
};

// `open` gives what to write into, once everything else is known to be right.
Result<std::unique_ptr<DataFileWriter>> make_writer(
    const std::function<Result<std::unique_ptr<storage::ObjectWriter>>()>& open,
    const std::string& name, std::vector<layout::SchemaField> fields,
    const DataFileOptions& options, base::Executor& executor, base::MemoryBudget* budget) {
  if (options.version == layout::FileVersion::kV20) {
    return Error(ErrorKind::kUnsupported, "data files of version 2.0 are read, not written")
        .with("object", name);
  }
  if (options.page_bytes < kPageBytesMin || options.page_bytes > kPageBytesMax ||
      options.memory_bytes_max < kMemoryBytesMin || options.value_bytes_max > kValueBytesMax) {
    return Error(ErrorKind::kInvalid, "options of the data file are out of range")
        .with("page_bytes", options.page_bytes)
        .with("memory_bytes_max", options.memory_bytes_max)
        .with("value_bytes_max", options.value_bytes_max);
  }
  WEFT_TRY(std::vector<Leaf> leaves, leaves_of(fields, options.version));
  for (Leaf& leaf : leaves) {
    leaf.value_bytes_max = options.value_bytes_max;
  }
  if (leaves.empty() || leaves.size() > layout::kFileColumnsMax) {
    return Error(leaves.empty() ? ErrorKind::kInvalid : ErrorKind::kLimit,
                 "data file would have no column, or too many")
        .with("columns", leaves.size())
        .with("columns_max", layout::kFileColumnsMax);
  }
  WEFT_TRY(columns::Schema schema, layout::column_schema(fields));
  WEFT_TRY(std::unique_ptr<storage::ObjectWriter> object, open());
  FileOutput output(std::move(object), leaves.size());
  WriterParts parts{.name = name,
                    .fields = std::move(fields),
                    .schema = std::move(schema),
                    .leaves = std::move(leaves),
                    .executor = &executor,
                    .budget = budget};
  return std::make_unique<Writer>(std::move(parts), options, std::move(output));
}

}  // namespace

Result<std::unique_ptr<DataFileWriter>> DataFileWriter::create(
    storage::ObjectStore& store, const std::string& name, std::vector<layout::SchemaField> fields,
    const DataFileOptions& options, base::Executor& executor, base::MemoryBudget* budget) {
  return make_writer([&] { return store.create(name); }, name, std::move(fields), options, executor,
                     budget);
}

Result<std::unique_ptr<DataFileWriter>> DataFileWriter::create(
    std::unique_ptr<storage::ObjectWriter> object, const std::string& name,
    std::vector<layout::SchemaField> fields, const DataFileOptions& options,
    base::Executor& executor, base::MemoryBudget* budget) {
  return make_writer(
      [&]() -> Result<std::unique_ptr<storage::ObjectWriter>> { return std::move(object); }, name,
      std::move(fields), options, executor, budget);
}

}  // namespace weft::lance::write
