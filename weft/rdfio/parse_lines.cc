// N-Triples and N-Quads as a whole: one block behind the other, or on all threads.
#include <atomic>
#include <limits>
#include <optional>
#include <utility>

#include "weft/base/mutex.h"
#include "weft/rdfio/line_blocks.h"
#include "weft/rdfio/line_parser.h"
#include "weft/rdfio/parse.h"
#include "weft/rdfio/report.h"
#include "weft/rdfio/syntaxes.h"

namespace weft::rdfio {
namespace {

// Room for the other terms of a statement whose literal is as long as it may be.
uint64_t line_size_max_bytes(const ParseOptions& options) {
  constexpr uint64_t kOtherTerms = 8;
  return options.literal_size_max_bytes + kOtherTerms * kIriSizeMaxBytes;
}

Error cancelled() {
  return Error(ErrorKind::kCancelled, "reading was stopped");
}

// What the workers of one parallel run share.
class ParallelLines {
 public:
  ParallelLines(InputStream& input, const ParseOptions& options)
      : blocks_(input, options.file_name, line_size_max_bytes(options)) {}

  // The next block in order; false if there is none, or an error was met.
  bool next(LineBlock& block) {
    const base::MutexLock lock(mutex_);
    if (failure_) {
      return false;
    }
    Result<bool> more = blocks_.next(block);
    if (!more.ok()) {
      record(block.sequence(), std::move(more).error());
      return false;
    }
    return *more;
  }

  void fail(uint64_t sequence, Error error) {
    const base::MutexLock lock(mutex_);
    record(sequence, std::move(error));
  }

  void finish(ParseReport part) {
    const base::MutexLock lock(mutex_);
    merge_report(report_, std::move(part));
  }

  // Once all workers have ended.
  Result<ParseReport> result() {
    const base::MutexLock lock(mutex_);
    if (failure_) {
      return std::move(failure_->error);
    }
    report_.bytes = blocks_.bytes();
    return std::move(report_);
  }

 private:
  struct Failure {
    uint64_t sequence;
    Error error;
  };

  // Blocks are taken in order, and whoever has taken one parses it to its end or its error. So the
  // lowest block that failed holds the first error of the text.
  void record(uint64_t sequence, Error error) WEFT_REQUIRES(mutex_) {
    if (!failure_ || sequence < failure_->sequence) {
      failure_.emplace(Failure{sequence, std::move(error)});
    }
  }

  base::Mutex mutex_;
  LineBlocks blocks_ WEFT_GUARDED_BY(mutex_);
  std::optional<Failure> failure_ WEFT_GUARDED_BY(mutex_);
  ParseReport report_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace

Result<ParseReport> parse_lines(InputStream& input, Format format, const ParseOptions& options,
                                rdf::QuadSink& sink) {
  DocumentPrefix prefix(options.blank_node_prefix);
  LineBlocks blocks(input, options.file_name, line_size_max_bytes(options));
  LineParser parser(format, options, prefix);
  ParseReport report;
  LineBlock block;
  while (true) {
    if (options.stop.stop_requested()) {
      return cancelled();
    }
    WEFT_TRY(const bool more, blocks.next(block));
    if (!more) {
      break;
    }
    WEFT_TRY_STATUS(parser.parse(block, sink, report));
  }
  report.bytes = blocks.bytes();
  return report;
}

Result<ParseReport> parse_lines_parallel(InputStream& input, Format format,
                                         const ParseOptions& options, base::Executor& executor,
                                         const SinkOfWorker& sink_of_worker) {
  if (!is_line_format(format)) {
    return Error(ErrorKind::kUnsupported, "only line formats are parsed in parallel")
        .with("format", format_name(format));
  }
  DocumentPrefix prefix(options.blank_node_prefix);
  base::Mutex warning_mutex;
  ParseOptions shared = options;
  if (options.on_warning) {
    shared.on_warning = [&options, &warning_mutex](const Error& warning) {
      const base::MutexLock lock(warning_mutex);
      options.on_warning(warning);
    };
  }
  ParallelLines lines(input, shared);
  const auto work = [&](size_t worker) -> Status {
    LineParser parser(format, shared, prefix);
    ParseReport report;
    LineBlock block;
    rdf::QuadSink* sink = nullptr;
    while (lines.next(block)) {
      if (sink == nullptr) {
        sink = &sink_of_worker(worker);
      }
      const Status status =
          shared.stop.stop_requested() ? cancelled() : parser.parse(block, *sink, report);
      if (!status.ok()) {
        lines.fail(block.sequence(), status.error());
        break;
      }
    }
    lines.finish(std::move(report));
    return ok_status();
  };
  WEFT_TRY_STATUS(executor.for_each(executor.width(), work, options.stop));
  return lines.result();
}

}  // namespace weft::rdfio
