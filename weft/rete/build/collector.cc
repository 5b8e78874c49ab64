#include "weft/rete/build/collector.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "weft/base/random.h"
#include "weft/rete/build/options.h"

namespace weft::rete::build {
namespace {

// Quads looked up together, so that the memory of one term is fetched while others are hashed.
constexpr size_t kBatchQuads = 64;
constexpr size_t kBatchBytes = size_t{16} << 20U;

// At least one quad; few if they are huge, since the arena of a run has 32-bit offsets.
size_t batch_size(std::span<const rdf::QuadView> quads) {
  size_t bytes = 0;
  size_t count = 0;
  while (count < std::min(quads.size(), kBatchQuads) && bytes < kBatchBytes) {
    const rdf::QuadView& quad = quads[count++];
    bytes += quad.subject.size() + quad.predicate.size() + quad.object.size() + quad.graph.size();
  }
  return count;
}

template <size_t N>
Result<std::vector<Extent>> spill_rows(PageArray<Row<N>>& rows, SharedScratchFile& file) {
  std::vector<Extent> extents;
  if (!rows.empty()) {
    WEFT_TRY(const Extent extent, file.append(std::as_bytes(rows.span())));
    extents.push_back(extent);
  }
  rows.release();
  return extents;
}

}  // namespace

class Collector::Sink final : public rdf::QuadSink {
 public:
  Sink(Collector& collector, uint64_t memory_bytes)
      : collector_(&collector), memory_bytes_(memory_bytes) {
    renew();
  }

  Status accept(std::span<const rdf::QuadView> quads) override {
    if (collector_->options_.stop.stop_requested()) {
      return Error(ErrorKind::kCancelled, "stopped on request");
    }
    for (size_t at = 0; at < quads.size();) {
      const auto batch = quads.subspan(at, batch_size(quads.subspan(at)));
      WEFT_TRY_STATUS(make_room(batch));
      take(batch);
      at += batch.size();
    }
    collector_->statement_count_.fetch_add(quads.size(), std::memory_order_relaxed);
    return ok_status();
  }

  std::unique_ptr<Run> take_run() { return std::exchange(run_, nullptr); }

 private:
  void renew() { run_ = std::make_unique<Run>(collector_->seed_); }

  // Spills the run if this batch might not fit.
  Status make_room(std::span<const rdf::QuadView> batch) {
    size_t bytes = 0;
    for (const rdf::QuadView& quad : batch) {
      for (const std::string_view token : {quad.subject, quad.predicate, quad.object}) {
        if (token.empty()) {
          return Error(ErrorKind::kInvalid, "a quad has an empty term");
        }
      }
      for (const std::string_view token : {quad.subject, quad.predicate, quad.object, quad.graph}) {
        if (token.size() >= kTokenBytesMax) {
          return Error(ErrorKind::kLimit, "a term is too long")
              .with("bytes", token.size())
              .with("limit_bytes", kTokenBytesMax - 1);
        }
        bytes += token.size();
      }
    }
    const Run& run = *run_;
    const uint64_t needed = run.nodes.interner().memory_bytes_with(3 * batch.size(), bytes) +
                            run.predicates.interner().memory_bytes_with(batch.size(), bytes) +
                            run.graphs.interner().memory_bytes_with(batch.size(), 0) +
                            run.triples.memory_bytes() + run.quads.memory_bytes();
    const bool fits = needed <= memory_bytes_ &&
                      run.nodes.interner().has_room(3 * batch.size(), bytes) &&
                      run.predicates.interner().has_room(batch.size(), bytes);
    if (fits || run.nodes.interner().size() == 0) {
      return ok_status();
    }
    WEFT_TRY_STATUS(collector_->spill(*run_));
    WEFT_TRY_STATUS(collector_->keep(std::exchange(run_, nullptr)));
    renew();
    return ok_status();
  }

  void take(std::span<const rdf::QuadView> batch) {
    TermInterner& nodes = run_->nodes.interner();
    TermInterner& names =
        collector_->options_.graph_names_are_nodes ? nodes : run_->graphs.interner();
    std::array<uint32_t, kBatchQuads> subject_hash{};
    std::array<uint32_t, kBatchQuads> object_hash{};
    for (size_t i = 0; i < batch.size(); ++i) {
      const bool repeated = i > 0 && batch[i].subject == batch[i - 1].subject;
      subject_hash[i] = repeated ? subject_hash[i - 1] : nodes.hash(batch[i].subject);
      object_hash[i] = nodes.hash(batch[i].object);
      nodes.prefetch(subject_hash[i]);
      nodes.prefetch(object_hash[i]);
    }
    uint32_t subject = 0;
    uint32_t graph = 0;
    for (size_t i = 0; i < batch.size(); ++i) {
      const rdf::QuadView& quad = batch[i];
      if (i == 0 || quad.subject != batch[i - 1].subject) {
        subject = nodes.intern(quad.subject, subject_hash[i], kRoleSubject);
      }
      const uint32_t object = nodes.intern(quad.object, object_hash[i], kRoleObject);
      const uint32_t predicate = run_->predicates.interner().intern(quad.predicate, kRoleSubject);
      if (quad.graph.empty()) {
        run_->triples.push_back({{subject, predicate, object}});
        continue;
      }
      if (i == 0 || quad.graph != batch[i - 1].graph) {
        graph = names.intern(quad.graph, kRoleSubject);
      }
      run_->quads.push_back({{graph, subject, predicate, object}});
    }
  }

  Collector* collector_;
  uint64_t memory_bytes_;
  std::unique_ptr<Run> run_;
};

Collector::Collector(CollectorOptions options, RunFiles& files)
    : options_(std::move(options)), files_(files), seed_(base::Random::from_system().next()) {
  const size_t count = std::max<size_t>(options_.sink_count, 1);
  sinks_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    sinks_.push_back(std::make_unique<Sink>(*this, options_.memory_bytes / count));
  }
}
Collector::~Collector() = default;

rdf::QuadSink& Collector::sink(size_t index) {
  WEFT_CHECK(index < sinks_.size());
  return *sinks_[index];
}

Status Collector::spill(Run& run) {
  for (RunTerms* terms : {&run.nodes, &run.predicates, &run.graphs}) {
    terms->sort();
    terms->compute_rank();
  }
  const std::span<const uint32_t> nodes = run.nodes.rank();
  const std::span<const uint32_t> predicates = run.predicates.rank();
  const std::span<const uint32_t> graphs =
      options_.graph_names_are_nodes ? nodes : run.graphs.rank();
  for (Row<3>& row : run.triples.span()) {
    row = {{nodes[row.at[0]], predicates[row.at[1]], nodes[row.at[2]]}};
  }
  for (Row<4>& row : run.quads.span()) {
    row = {{graphs[row.at[0]], nodes[row.at[1]], predicates[row.at[2]], nodes[row.at[3]]}};
  }
  run.triple_count = run.triples.size();
  run.quad_count = run.quads.size();
  WEFT_TRY(run.triples_extents, spill_rows(run.triples, files_.rows));
  WEFT_TRY(run.quads_extents, spill_rows(run.quads, files_.rows));
  WEFT_TRY_STATUS(run.nodes.spill(files_.terms));
  WEFT_TRY_STATUS(run.predicates.spill(files_.terms));
  WEFT_TRY_STATUS(run.graphs.spill(files_.terms));
  run.is_spilled = true;
  spilled_runs_.fetch_add(1, std::memory_order_relaxed);
  return ok_status();
}

Status Collector::keep(std::unique_ptr<Run> run) {
  const base::MutexLock lock(mutex_);
  if (runs_.size() == kRunsMax) {
    return Error(ErrorKind::kLimit, "too many runs: give the build more memory")
        .with("runs", kRunsMax)
        .with("memory_bytes", options_.memory_bytes);
  }
  runs_.push_back(std::move(run));
  return ok_status();
}

Result<std::vector<std::unique_ptr<Run>>> Collector::finish(base::Executor& executor) {
  const bool spilling = spilled_runs() > 0;
  WEFT_TRY_STATUS(executor.for_each(
      sinks_.size(),
      [&](size_t index) -> Status {
        std::unique_ptr<Run> run = sinks_[index]->take_run();
        WEFT_CHECK(run != nullptr);
        if (run->nodes.interner().size() == 0) {
          return ok_status();
        }
        if (spilling) {
          WEFT_TRY_STATUS(spill(*run));
        } else {
          run->nodes.sort();
          run->predicates.sort();
          run->graphs.sort();
          run->triple_count = run->triples.size();
          run->quad_count = run->quads.size();
        }
        return keep(std::move(run));
      },
      options_.stop));
  const base::MutexLock lock(mutex_);
  return std::move(runs_);
}

}  // namespace weft::rete::build
