#include "weft/graph/load.h"

#include <array>
#include <memory>
#include <utility>

#include "weft/base/planted.h"
#include "weft/catalog/branches.h"
#include "weft/catalog/known_state.h"
#include "weft/codec/blake3.h"
#include "weft/graph/load_check.h"
#include "weft/graph/stage_load.h"

namespace weft::graph {
namespace {

constexpr std::array<std::string_view, 3> kModeNames = {"append", "merge", "overwrite"};
constexpr size_t kInputBytes = size_t{1} << 20U;
// Read while the rows of so much before it are taken.
constexpr uint64_t kInputTogether = uint64_t{4} << 20U;

class Loader {
 public:
  Loader(const catalog::CatalogPlace& place, const Authority& authority, const LoadRequest& request,
         const std::stop_token& stop)
      : place_(place), authority_(authority), request_(request), stop_(stop) {
    operation_ = request.operation.is_none() ? base::Ulid::make(place.clock.now(), place.random)
                                             : request.operation;
  }

  Result<LoadResult> run(codec::InputStream& input) {
    WEFT_TRY(catalog::CatalogView newest, begin());
    if (!request_.operation.is_none()) {
      WEFT_TRY(const auto earlier, newest.find_operation(operation_));
      if (earlier.has_value()) {
        return repeat();
      }
    }
    WEFT_TRY_STATUS(catalog::check_goes_on(newest));
    WEFT_TRY(graph_, open_snapshot(place_, std::move(newest)));
    Result<LoadResult> result = load(input);
    // After an attempt to publish nothing may be removed whose outcome is not known.
    const bool is_refused =
        !result.ok() && (!has_staged_ || result.error().kind() == ErrorKind::kInvalid ||
                         result.error().kind() == ErrorKind::kAlreadyExists);
    for (const auto& [key, table] : tables_) {
      if (is_refused) {
        table->discard();
      }
    }
    return result;
  }

 private:
  // What the load is read against. What is written is checked against the newest version later, so
  // that one which is known will do, unless the load is told of changes since it began.
  Result<catalog::CatalogView> begin() {
    const bool may_be_older = request_.mode != LoadMode::kOverwrite && !request_.dry_run &&
                              request_.operation.is_none() && !request_.expected_head.has_value();
    if (may_be_older && place_.known != nullptr) {
      if (std::optional<catalog::CatalogView> known = place_.known->newest(place_.life);
          known.has_value()) {
        return *std::move(known);
      }
    }
    return catalog::open_latest(place_);
  }

  // The write of this operation finds its commit and prepares nothing.
  Result<LoadResult> repeat() {
    const auto prepare = [](txn::Capture&) -> Result<txn::Change> {
      return Error(ErrorKind::kInternal, "an operation that is there was prepared again");
    };
    LoadResult result;
    WEFT_TRY(result.receipt, txn::write(place_, write_request(), prepare));
    return result;
  }

  txn::WriteRequest write_request() const {
    txn::WriteRequest write;
    write.operation = operation_;
    write.is_new_operation = request_.operation.is_none();
    write.kind = action_name(Action::kLoad);
    write.actor = authority_.actor;
    write.message = request_.message;
    write.idempotency_key = request_.idempotency_key;
    if (!request_.idempotency_key.empty()) {
      write.request_hash = codec::to_hex(request_hash_.digest16());
    }
    write.is_strict = request_.mode == LoadMode::kOverwrite;
    write.expected_head = request_.expected_head;
    write.begun_at = began_;
    for (const auto& [key, table] : tables_) {
      write.tables.push_back(key);
    }
    return write;
  }

  Result<LoadResult> load(codec::InputStream& input) {
    // A repeated request with a key is answered, whatever the head is: only txn::write knows.
    if (request_.idempotency_key.empty()) {
      WEFT_TRY_STATUS(check_head(graph_->view()));
    }
    // Rows are read while others are written: each side has names of its own.
    base::Random row_names(place_.random.next());
    ndjson::LoadReader reader(graph_->schema(), place_.clock.now(), row_names);
    WEFT_TRY_STATUS(read_all(input, reader));
    open_endpoints_ = reader.open_endpoints();
    LoadResult result;
    result.nodes = reader.node_counts();
    result.edges = reader.edge_counts();
    if (!reader.violations().empty() || request_.dry_run) {
      WEFT_TRY_STATUS(check(*graph_, reader.violations()).status);
      return result;
    }
    const auto prepare = [this](txn::Capture& capture) { return prepare_once(capture); };
    WEFT_TRY(result.receipt, txn::write(place_, write_request(), prepare));
    return result;
  }

  Status check_head(const catalog::CatalogView& view) const {
    return request_.expected_head.has_value()
               ? txn::check_expected_head(&view, *request_.expected_head)
               : ok_status();
  }

  // Rows are read while those that were read before are noted, encoded and written.
  Status read_all(codec::InputStream& input, ndjson::LoadReader& reader) {
    request_hash_.update(
        as_bytes(std::string(load_mode_name(request_.mode)) + "\n" + request_.branch + "\n"));
    Progress done;
    std::vector<ndjson::TypedBatch> batches;
    while (!done.at_end || !batches.empty()) {
      const auto work = [&](size_t task) {
        return task == 0 ? read_some(input, reader, done) : take_rows(batches, done.rows);
      };
      if (batches.empty()) {
        WEFT_TRY_STATUS(work(0));
      } else if (done.at_end) {
        WEFT_TRY_STATUS(work(1));
      } else {
        WEFT_TRY_STATUS(place_.executor.for_each(2, work));
      }
      batches = reader.take_batches();
      if (request_.progress) {
        request_.progress(done.bytes, done.rows);
      }
    }
    for (const auto& [key, table] : tables_) {
      WEFT_TRY_STATUS(table->finish());
    }
    return ok_status();
  }

  struct Progress {
    uint64_t bytes = 0;
    uint64_t rows = 0;  // of the task that takes them
    bool at_end = false;
  };

  // Up to kInputTogether bytes; the violations of rows are with the reader.
  Status read_some(codec::InputStream& input, ndjson::LoadReader& reader, Progress& done) {
    const uint64_t end = done.bytes + kInputTogether;
    while (!done.at_end && done.bytes < end) {
      WEFT_TRY(const size_t count, input.read({buffer_.get(), kInputBytes}));
      if (count == 0) {
        done.at_end = true;
        const Status finished = reader.finish(stop_);
        return !finished.ok() && reader.violations().empty() ? finished : ok_status();
      }
      done.bytes += count;
      const ByteView bytes(buffer_.get(), count);
      if (!request_.idempotency_key.empty()) {
        request_hash_.update(bytes);
      }
      WEFT_TRY_STATUS(reader.feed(as_text(bytes), stop_));
    }
    return ok_status();
  }

  Status take_rows(const std::vector<ndjson::TypedBatch>& batches, uint64_t& rows) {
    for (const ndjson::TypedBatch& batch : batches) {
      LoadedTable& table = table_of(batch);
      waiting_bytes_ -= table.waiting_bytes();
      WEFT_TRY_STATUS(table.add(batch));
      waiting_bytes_ += table.waiting_bytes();
      rows += batch.rows.row_count();
      if (waiting_bytes_ > kWaitingMax) {
        waiting_bytes_ -= table.waiting_bytes();
        WEFT_TRY_STATUS(table.spill());
      }
    }
    return ok_status();
  }

  LoadedTable& table_of(const ndjson::TypedBatch& batch) {
    const TypeTable* const type =
        batch.is_edge ? graph_->find_edge(batch.type) : graph_->find_node(batch.type);
    auto& table = tables_[type->key()];
    if (table == nullptr) {
      lance::RowOptions options;
      options.stage.operation = operation_.text() + "-0";
      options.stage.clock = &place_.clock;
      options.stage.random = &place_.random;
      options.write.executor = &place_.executor;
      table = std::make_unique<LoadedTable>(*type, place_.life, std::move(options),
                                            !request_.dry_run, request_.waiting_rows_max);
    }
    return *table;
  }

  struct Outcome {
    Status status;
    CheckedLoad checked;
  };
  Outcome check(const GraphSnapshot& graph, const ndjson::Violations& violations) const {
    auto checked = check_load(graph, request_.mode, tables_, open_endpoints_, violations, stop_);
    if (!checked.ok()) {
      return {std::move(checked).error(), {}};
    }
    return {checked->violations.empty() ? ok_status() : Status(checked->violations.to_error()),
            std::move(checked).value()};
  }

  // Since the load began; commits that change no rows do not count.
  Status check_nothing_came(const catalog::CatalogView& view) const {
    const base::Ulid began = graph_->commit().id;
    if (view.state().head.id == began) {
      return ok_status();
    }
    WEFT_TRY(const auto commits, view.commits(txn::kRebasesMax + 1));
    for (const catalog::CommitRecord& commit : commits) {
      if (commit.id == began) {
        return ok_status();
      }
      if (commit.kind != txn::kRebaseKind) {
        break;
      }
    }
    return Error(ErrorKind::kConflict, "the graph has changed since this load began")
        .with("reason", "read-set-changed")
        .with("head", view.state().head.id.text());
  }

  Result<txn::Change> prepare_once(txn::Capture& capture) {
    if (capture.view() == nullptr) {
      return Error(ErrorKind::kNotFound, "the graph is no longer there");
    }
    if (capture.view()->state().schema != graph_->view().state().schema) {
      return Error(ErrorKind::kConflict, "the graph's schema has changed since the load began")
          .with("reason", "read-set-changed");
    }
    if (request_.mode == LoadMode::kOverwrite) {
      WEFT_TRY_STATUS(check_nothing_came(*capture.view()));
    }
    GraphSnapshot::Bases bases;
    for (const auto& [key, table] : tables_) {
      if (table->row_count() > 0) {
        WEFT_TRY(lance::Snapshot base, capture.table(key));
        bases.emplace(key, std::move(base));
      }
    }
    WEFT_TRY(const auto graph,
             GraphSnapshot::make(place_, *capture.view(), graph_->shared_schema(), bases));
    Outcome outcome = check(base::planted(base::Bug::kCheckedOnce) ? *graph_ : *graph, {});
    WEFT_TRY_STATUS(std::move(outcome.status));
    WEFT_TRY(txn::Change change,
             stage_load(capture.row_options(), request_.mode, tables_, bases, outcome.checked));
    has_staged_ = true;
    return change;
  }

  const catalog::CatalogPlace& place_;
  const Authority& authority_;
  const LoadRequest& request_;
  const std::stop_token& stop_;
  base::Ulid operation_;
  const base::WallTime began_ = place_.clock.now();
  // What the load is read against; it is checked against what it is written upon.
  std::shared_ptr<const GraphSnapshot> graph_;
  LoadedTables tables_;
  // Not filled: a small load touches little of it.
  std::unique_ptr<std::byte[]> buffer_ = std::make_unique_for_overwrite<std::byte[]>(kInputBytes);
  uint64_t waiting_bytes_ = 0;
  codec::Blake3 request_hash_;  // of mode, branch and input
  std::vector<ndjson::OpenEndpoint> open_endpoints_;
  bool has_staged_ = false;
};

}  // namespace

std::string_view load_mode_name(LoadMode mode) {
  return kModeNames.at(static_cast<size_t>(mode));
}

Result<LoadMode> parse_load_mode(std::string_view name) {
  for (size_t i = 0; i < kModeNames.size(); ++i) {
    if (kModeNames.at(i) == name) {
      return static_cast<LoadMode>(i);
    }
  }
  return Error(ErrorKind::kInvalid, "no such mode: append, merge or overwrite").with("mode", name);
}

Result<LoadResult> load(const catalog::CatalogPlace& place, const Authority& authority,
                        const LoadRequest& request, codec::InputStream& input,
                        const std::stop_token& stop) {
  WEFT_TRY_STATUS(check_authority(authority, Action::kLoad, request.branch, request.message));
  WEFT_TRY(const catalog::CatalogPlace branch, catalog::open_branch(place, request.branch));
  return Loader(branch, authority, request, stop).run(input);
}

}  // namespace weft::graph
