#include "weft/graph/diff.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "weft/lance/table/live_rows.h"

namespace weft::graph {
namespace {

constexpr size_t kRowsAtOnce = 4096;

// A row that may differ.
struct Candidate {
  std::string id;
  uint64_t address = 0;
};
using Candidates = std::vector<Candidate>;

// One side of the comparison of a type; without a table it has no rows.
class Side {
 public:
  static Result<Side> open(const TypeTable* table) {
    Side side;
    if (table != nullptr) {
      WEFT_TRY(side.reader_, table->reader());
    }
    return side;
  }

  bool is_there() const { return reader_ != nullptr; }
  const lance::Snapshot& snapshot() const { return reader_->snapshot(); }

  // Appends the rows of this side that are in no fragment of the other.
  Status collect(const Side& other, uint64_t rows_max, const std::stop_token& stop,
                 Candidates& found) const {
    if (!is_there()) {
      return ok_status();
    }
    WEFT_TRY(const FragmentsByFile others, other.fragments_by_file());
    std::vector<uint64_t> whole;
    std::vector<uint64_t> single;
    for (const lance::Fragment& fragment : snapshot().manifest().fragments) {
      WEFT_TRY(const std::string name, first_file(fragment));
      const auto same = others.find(name);
      if (same == others.end() || !is_same_data(fragment, *same->second)) {
        whole.push_back(fragment.id);
      } else {
        WEFT_TRY_STATUS(collect_undeleted(fragment, other, *same->second, single));
      }
    }
    WEFT_TRY_STATUS(read_whole(whole, rows_max, stop, found));
    WEFT_TRY_STATUS(read_single(single, rows_max, stop, found));
    std::ranges::sort(found, {}, &Candidate::id);
    return ok_status();
  }

  Result<columns::Batch> rows(const std::vector<uint64_t>& addresses,
                              const std::stop_token& stop) const {
    return reader_->take_addresses({}, addresses, stop);
  }

 private:
  using FragmentsByFile = std::map<std::string, const lance::Fragment*>;

  Result<std::string> first_file(const lance::Fragment& fragment) const {
    return fragment.files.empty() ? Result<std::string>(std::string())
                                  : snapshot().data_file_name(fragment.files.front());
  }
  Result<FragmentsByFile> fragments_by_file() const {
    FragmentsByFile found;
    if (is_there()) {
      for (const lance::Fragment& fragment : snapshot().manifest().fragments) {
        WEFT_TRY(std::string name, first_file(fragment));
        found.emplace(std::move(name), &fragment);
      }
    }
    return found;
  }
  static bool is_same_data(const lance::Fragment& left, const lance::Fragment& right) {
    return std::ranges::equal(left.files, right.files, {}, &lance::DataFile::path,
                              &lance::DataFile::path) &&
           left.physical_rows == right.physical_rows;
  }
  // Rows of a fragment of both sides that the other one has deleted.
  Status collect_undeleted(const lance::Fragment& fragment, const Side& other,
                           const lance::Fragment& others, std::vector<uint64_t>& single) const {
    if (!others.deletion_file) {
      return ok_status();
    }
    if (fragment.deletion_file && fragment.deletion_file->id == others.deletion_file->id &&
        fragment.deletion_file->read_version == others.deletion_file->read_version) {
      return ok_status();
    }
    WEFT_TRY(const lance::Deletions ours, lance::deletions_of(snapshot(), fragment));
    WEFT_TRY(const lance::Deletions theirs, lance::deletions_of(other.snapshot(), others));
    for (const uint32_t offset : theirs.offsets()) {
      if (!ours.contains(offset)) {
        single.push_back(lance::row_address(fragment.id, offset));
      }
    }
    return ok_status();
  }

  Status read_whole(const std::vector<uint64_t>& fragments, uint64_t rows_max,
                    const std::stop_token& stop, Candidates& found) const {
    if (fragments.empty()) {
      return ok_status();
    }
    WEFT_TRY(const auto scan, reader_->scan({std::string(kIdColumn)}, fragments));
    for (;;) {
      WEFT_TRY(const std::optional<lance::TableRows> rows, scan->next(stop));
      if (!rows.has_value()) {
        return ok_status();
      }
      WEFT_TRY_STATUS(check_limit(found.size() + rows->offsets.size(), rows_max));
      for (size_t row = 0; row < rows->offsets.size(); ++row) {
        found.push_back({std::string(rows->batch.column(0)->text(row)),
                         lance::row_address(rows->fragment_id, rows->offsets[row])});
      }
    }
  }
  Status read_single(const std::vector<uint64_t>& addresses, uint64_t rows_max,
                     const std::stop_token& stop, Candidates& found) const {
    WEFT_TRY_STATUS(check_limit(found.size() + addresses.size(), rows_max));
    for (size_t from = 0; from < addresses.size(); from += kRowsAtOnce) {
      const std::span<const uint64_t> some =
          std::span(addresses).subspan(from, std::min(kRowsAtOnce, addresses.size() - from));
      WEFT_TRY(const columns::Batch ids,
               reader_->take_addresses({std::string(kIdColumn)}, some, stop));
      for (size_t row = 0; row < some.size(); ++row) {
        found.push_back({std::string(ids.column(0)->text(row)), some[row]});
      }
    }
    return ok_status();
  }
  static Status check_limit(uint64_t rows, uint64_t rows_max) {
    return rows <= rows_max
               ? ok_status()
               : Status(Error(ErrorKind::kLimit, "the two states differ in too many rows")
                            .with("limit", rows_max));
  }

  lance::TableReader* reader_ = nullptr;
};

// Rows of one kind, told in batches.
class TypeDiff {
 public:
  TypeDiff(const TypeTable* from, const TypeTable* to,
           const std::function<Status(const RowDifference&)>& take, const std::stop_token& stop,
           uint64_t rows_max)
      : from_(from), to_(to), take_(take), stop_(stop), rows_max_(rows_max) {}

  // Of two commits.
  Status run() {
    const bool is_pinned_alike = from_ != nullptr && to_ != nullptr &&
                                 from_->entry().pin.detached_hash == to_->entry().pin.detached_hash;
    return is_pinned_alike ? ok_status() : compare();
  }

  Status compare() {
    if (from_ != nullptr && to_ != nullptr && !(*from_->columns() == *to_->columns())) {
      return Error(ErrorKind::kUnsupported, "a type has other columns in the two states")
          .with("type", to_->name());
    }
    WEFT_TRY(before_, Side::open(from_));
    WEFT_TRY(after_, Side::open(to_));
    Candidates gone;
    Candidates come;
    WEFT_TRY_STATUS(before_.collect(after_, rows_max_, stop_, gone));
    WEFT_TRY_STATUS(after_.collect(before_, rows_max_, stop_, come));
    return merge(gone, come);
  }

 private:
  struct Pair {
    const Candidate* before = nullptr;
    const Candidate* after = nullptr;
  };

  Status merge(const Candidates& gone, const Candidates& come) {
    auto left = gone.begin();
    auto right = come.begin();
    std::vector<Pair> pairs;
    while (left != gone.end() || right != come.end()) {
      Pair pair;
      const bool has_both = left != gone.end() && right != come.end();
      const int order = has_both ? left->id.compare(right->id) : left != gone.end() ? -1 : 1;
      pair.before = order <= 0 ? &*left++ : nullptr;
      pair.after = order >= 0 ? &*right++ : nullptr;
      pairs.push_back(pair);
      if (pairs.size() == kRowsAtOnce) {
        WEFT_TRY_STATUS(tell(pairs));
        pairs.clear();
      }
    }
    return tell(pairs);
  }

  Status tell(const std::vector<Pair>& pairs) {
    WEFT_TRY(const columns::Batch before, rows_of(before_, pairs, &Pair::before));
    WEFT_TRY(const columns::Batch after, rows_of(after_, pairs, &Pair::after));
    size_t before_row = 0;
    size_t after_row = 0;
    for (const Pair& pair : pairs) {
      RowDifference difference;
      difference.table = to_ != nullptr ? to_ : from_;
      difference.id = pair.before != nullptr ? pair.before->id : pair.after->id;
      difference.kind = pair.before == nullptr  ? RowDifferenceKind::kAdded
                        : pair.after == nullptr ? RowDifferenceKind::kRemoved
                                                : RowDifferenceKind::kChanged;
      if (pair.before != nullptr) {
        difference.before = &before;
        difference.before_row = before_row++;
      }
      if (pair.after != nullptr) {
        difference.after = &after;
        difference.after_row = after_row++;
      }
      if (difference.kind == RowDifferenceKind::kChanged) {
        find_cells(difference);
        if (difference.cells.empty()) {
          continue;  // only moved
        }
      }
      WEFT_TRY_STATUS(take_(difference));
    }
    return ok_status();
  }

  Result<columns::Batch> rows_of(const Side& side, const std::vector<Pair>& pairs,
                                 const Candidate* Pair::* which) const {
    std::vector<uint64_t> addresses;
    for (const Pair& pair : pairs) {
      if (pair.*which != nullptr) {
        addresses.push_back((pair.*which)->address);
      }
    }
    return addresses.empty() ? columns::Batch::make(std::make_shared<columns::Schema>(), {}, 0)
                             : side.rows(addresses, stop_);
  }

  static void find_cells(RowDifference& difference) {
    const size_t count = difference.before->columns().size();
    for (size_t column = 0; column < count; ++column) {
      if (!columns::equal_at(*difference.before->column(column), difference.before_row,
                             *difference.after->column(column), difference.after_row)) {
        difference.cells.push_back(column);
      }
    }
  }

  const TypeTable* from_;
  const TypeTable* to_;
  const std::function<Status(const RowDifference&)>& take_;
  const std::stop_token& stop_;
  uint64_t rows_max_;
  Side before_;
  Side after_;
};

using Tables = std::vector<std::unique_ptr<TypeTable>>;

// Tables of both by their names: null where one has none.
std::map<std::string, std::pair<const TypeTable*, const TypeTable*>> by_name(const Tables& from,
                                                                             const Tables& to) {
  std::map<std::string, std::pair<const TypeTable*, const TypeTable*>> found;
  for (const auto& table : from) {
    found[table->name()].first = table.get();
  }
  for (const auto& table : to) {
    found[table->name()].second = table.get();
  }
  return found;
}

}  // namespace

std::string_view row_difference_name(RowDifferenceKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"added", "removed", "changed"};
  return kNames.at(static_cast<size_t>(kind));
}

Status diff_graphs(const GraphSnapshot& from, const GraphSnapshot& to,
                   const std::function<Status(const RowDifference&)>& take,
                   const std::stop_token& stop, uint64_t rows_max) {
  for (const auto& [left, right] :
       {std::pair(&from.nodes(), &to.nodes()), std::pair(&from.edges(), &to.edges())}) {
    for (const auto& [name, tables] : by_name(*left, *right)) {
      WEFT_TRY_STATUS(TypeDiff(tables.first, tables.second, take, stop, rows_max).run());
    }
  }
  return ok_status();
}

Status diff_tables(const TypeTable& from, const TypeTable& to,
                   const std::function<Status(const RowDifference&)>& take,
                   const std::stop_token& stop, uint64_t rows_max) {
  return TypeDiff(&from, &to, take, stop, rows_max).compare();
}

}  // namespace weft::graph
