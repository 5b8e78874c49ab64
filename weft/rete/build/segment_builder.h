// Builds one `.rete` segment from quads in any order: bounded memory, all cores, and the same bytes
// whatever the order, the duplicates, the number of threads and the memory budget.
//
//     WEFT_TRY(auto builder, SegmentBuilder::create(options, executor, scratch));
//     … builder->sink(worker).accept(quads) from several threads, one sink each …
//     WEFT_TRY(auto writer, store.create("base.rete"));
//     WEFT_TRY(const BuildReport report, builder->finish(*writer));
//     WEFT_TRY(const PutOutcome outcome, writer->publish());
//
// B1  The bytes depend on the set of quads and on the options that name contents, nothing else.
// B2  Memory stays within options.memory_bytes plus a constant per thread and a few times the
//     longest token.
// B3  Nothing is written to the ObjectWriter before finish(), and finish() does not publish.
// Not thread-safe but for the sinks. Pipeline: docs/formats/segment-building.md.
#pragma once

#include <memory>

#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/rdf/quad.h"
#include "weft/rete/build/options.h"
#include "weft/storage/object_store.h"
#include "weft/storage/scratch.h"

namespace weft::rete {

class SegmentBuilder {
 public:
  // `executor` and `scratch` must outlive the builder. Errors: kInvalid names the bad option.
  static Result<std::unique_ptr<SegmentBuilder>> create(BuildOptions options,
                                                        base::Executor& executor,
                                                        storage::ScratchSpace& scratch);
  virtual ~SegmentBuilder() = default;

  virtual size_t sink_count() const = 0;
  // Sink `index` < sink_count(); each may be used by one thread at a time. Tokens must be canonical
  // (rdf/term.h), a graph name included. Errors of accept: kInvalid (an empty token), kLimit (a
  // token longer than kTokenBytesMax, too many runs), kUnavailable (scratch), kCancelled.
  virtual rdf::QuadSink& sink(size_t index) = 0;
  // Statements accepted so far, over all sinks.
  virtual uint64_t statement_count() const = 0;

  // Writes the whole segment to `out`; once, after all sinks have been used. Errors: kLimit (more
  // ids than the format has), kUnavailable, kCancelled.
  virtual Result<BuildReport> finish(storage::ObjectWriter& out) = 0;
};

// A quarter of the machine's memory, at least kBuildMemoryBytesMin.
uint64_t default_build_memory_bytes();

}  // namespace weft::rete
