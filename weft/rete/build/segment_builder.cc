#include "weft/rete/build/segment_builder.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "weft/rete/build/build_record.h"
#include "weft/rete/build/collector.h"
#include "weft/rete/build/listeners.h"
#include "weft/rete/build/numbering.h"
#include "weft/rete/build/order_builder.h"
#include "weft/rete/build/segment_layout5.h"
#include "weft/rete/build/segment_layout6.h"
#include "weft/rete/build/segment_parts.h"

namespace weft::rete::build {
namespace {

constexpr uint32_t kBlockBytesMin = 1024;
constexpr uint32_t kBlockBytesMax = uint32_t{4} << 20U;
constexpr uint32_t kRestartIntervalMax = 1024;
constexpr int kZstdLevelMax = 22;

Error bad_option(const char* option, const char* rule, uint64_t value) {
  return Error(ErrorKind::kInvalid, rule).with("option", option).with("value", value);
}

Status check(const BuildOptions& options) {
  if (options.format_version != 5 && options.format_version != 6) {
    return bad_option("format_version", "segments are written in format 5 or 6",
                      options.format_version);
  }
  if (options.zstd_level < 1 || options.zstd_level > kZstdLevelMax) {
    return bad_option("zstd_level", "the zstd level lies between 1 and 22",
                      static_cast<uint64_t>(options.zstd_level));
  }
  for (const auto& [name, bytes] : {std::pair{"tile_bytes", options.tile_bytes},
                                    std::pair{"chunk_bytes", options.chunk_bytes}}) {
    if (bytes < kBlockBytesMin || bytes > kBlockBytesMax) {
      return bad_option(name, "blocks have between 1 KiB and 4 MiB", bytes);
    }
  }
  if (options.restart_interval < 1 || options.restart_interval > kRestartIntervalMax) {
    return bad_option("restart_interval", "the restart interval lies between 1 and 1024",
                      options.restart_interval);
  }
  if (options.memory_bytes != 0 && options.memory_bytes < kBuildMemoryBytesMin) {
    return bad_option("memory_bytes", "building needs at least 32 MiB", options.memory_bytes);
  }
  if (options.card_json.size() > kCardBytesMax) {
    return Error(ErrorKind::kLimit, "the card is too large")
        .with("bytes", options.card_json.size())
        .with("limit_bytes", kCardBytesMax);
  }
  if (options.ids_max > UINT32_MAX) {
    return bad_option("ids_max", "ids have 32 bits", options.ids_max);
  }
  return ok_status();
}

// How the memory is shared out (docs/formats/segment-building.md, "Memory").
struct Shares {
  explicit Shares(uint64_t memory_bytes)
      : spools(memory_bytes / 4),
        collecting(memory_bytes - spools),
        merging(collecting / 2),
        sorting(collecting / 5) {}
  uint64_t spools;
  uint64_t collecting;
  uint64_t merging;
  uint64_t sorting;  // of one sorter; up to five are alive
};

class Builder final : public SegmentBuilder {
 public:
  Builder(BuildOptions options, base::Executor& executor, storage::ScratchSpace& scratch)
      : options_(std::move(options)),
        shares_(options_.memory_bytes),
        codec_(options_.compress, options_.zstd_level),
        spool_budget_("build memory", shares_.spools),
        space_{.executor = executor,
               .scratch = scratch,
               .spools = spool_budget_,
               .sort_bytes = shares_.sorting,
               .codec = codec_,
               .stop = options_.stop,
               .progress = options_.progress},
        files_(scratch),
        collector_({.memory_bytes = shares_.collecting,
                    .sink_count = options_.sink_count,
                    .graph_names_are_nodes = options_.format_version != 5,
                    .stop = options_.stop},
                   files_) {}

  size_t sink_count() const override { return options_.sink_count; }
  rdf::QuadSink& sink(size_t index) override { return collector_.sink(index); }
  uint64_t statement_count() const override { return collector_.statement_count(); }

  Result<BuildReport> finish(storage::ObjectWriter& out) override {
    WEFT_CHECK(!finished_);
    finished_ = true;
    WEFT_TRY(const auto runs, collector_.finish(space_.executor));
    SegmentParts parts(space_);
    BuildReport report;
    Listeners listeners(options_, space_);
    WEFT_TRY_STATUS(number(runs, listeners, parts));
    WEFT_TRY_STATUS(sort(runs, listeners, parts));
    WEFT_TRY_STATUS(listeners.finish(parts, report));
    report.statements = collector_.statement_count();
    report.spilled_runs = collector_.spilled_runs();
    report.default_triples = parts.triple_count;
    report.named_quads = parts.quad_count;
    report.duplicates = report.statements - parts.triple_count - parts.quad_count;
    report.graphs = parts.graphs.size();
    space_.report("writing", 0, 0);
    const std::string record = options_.build_record ? build_record(options_, parts) : "";
    WEFT_TRY_STATUS(options_.format_version == kGeneration5
                        ? write_segment5(parts, options_, record, space_, out, report)
                        : write_segment6(parts, options_, record, space_, out, report));
    return report;
  }

 private:
  Status number(std::span<const std::unique_ptr<Run>> runs, Listeners& listeners,
                SegmentParts& parts) {
    NumberingOptions numbering;
    numbering.shape = {.chunk_bytes = options_.chunk_bytes,
                       .restart_interval = options_.restart_interval,
                       .keep_restarts = options_.format_version == 5};
    numbering.ids_max = options_.ids_max;
    numbering.merge_bytes = shares_.merging;
    numbering.on_predicate = [&listeners](std::string_view token, uint32_t id) {
      listeners.note_predicate(token, id);
    };
    return number_terms(runs, files_, numbering, space_, parts.dictionary);
  }

  Status sort(std::span<const std::unique_ptr<Run>> runs, Listeners& listeners,
              SegmentParts& parts) {
    NumberedRows rows(runs, files_, parts.dictionary, options_.format_version != 5, space_);
    WEFT_TRY_STATUS(rows.prepare());
    const OrderOptions orders{.six_permutations = options_.six_permutations,
                              .tile_bytes = options_.tile_bytes,
                              .graphs_stand_alone = options_.format_version == 5};
    listeners.start(parts.dictionary);
    WEFT_TRY_STATUS(build_triple_orders(rows, orders, listeners.triples(), space_, parts));
    return build_quad_orders(rows, orders, listeners.quads(), space_, parts);
  }

  BuildOptions options_;
  Shares shares_;
  BlockCodec codec_;
  base::MemoryBudget spool_budget_;
  BuildSpace space_;
  RunFiles files_;
  Collector collector_;
  bool finished_ = false;
};

}  // namespace
}  // namespace weft::rete::build

namespace weft::rete {

Result<std::unique_ptr<SegmentBuilder>> SegmentBuilder::create(BuildOptions options,
                                                               base::Executor& executor,
                                                               storage::ScratchSpace& scratch) {
  WEFT_TRY_STATUS(build::check(options));
  if (options.memory_bytes == 0) {
    options.memory_bytes = default_build_memory_bytes();
  }
  if (options.sink_count == 0) {
    options.sink_count = executor.width();
  }
  return std::unique_ptr<SegmentBuilder>(
      std::make_unique<build::Builder>(std::move(options), executor, scratch));
}

uint64_t default_build_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) {
    return kBuildMemoryBytesMin;
  }
  return std::max(kBuildMemoryBytesMin,
                  static_cast<uint64_t>(pages) / 4 * static_cast<uint64_t>(page_bytes));
}

}  // namespace weft::rete
