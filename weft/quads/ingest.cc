#include "weft/quads/ingest.h"

#include <atomic>
#include <utility>

#include "weft/base/mutex.h"
#include "weft/quads/ingest_document.h"

namespace weft::quads {
namespace {

Result<rdfio::Format> format_of(const std::string& path, const IngestOptions& options) {
  if (options.format) {
    return *options.format;
  }
  const std::optional<rdfio::Format> format = rdfio::format_by_file_name(path);
  if (!format) {
    return Error(ErrorKind::kInvalid, "cannot tell the RDF syntax from the name: give the format")
        .with("file", path);
  }
  return *format;
}

// Puts every statement into the default graph.
class CollapsingSink final : public rdf::QuadSink {
 public:
  explicit CollapsingSink(rdf::QuadSink& to) : to_(to) {}
  Status accept(std::span<const rdf::QuadView> quads) override {
    batch_.assign(quads.begin(), quads.end());
    for (rdf::QuadView& quad : batch_) {
      quad.graph = {};
    }
    return to_.accept(batch_);
  }

 private:
  rdf::QuadSink& to_;
  std::vector<rdf::QuadView> batch_;
};

class Ingest {
 public:
  Ingest(const IngestOptions& options, base::Executor& executor, storage::ScratchSpace& scratch,
         rete::SegmentBuilder& builder, std::stop_token stop)
      : options_(options), executor_(executor), scratch_(scratch), stop_(std::move(stop)) {
    for (size_t i = 0; i < builder.sink_count(); ++i) {
      rdf::QuadSink* sink = &builder.sink(i);
      if (options.collapse_graphs) {
        collapsing_.push_back(std::make_unique<CollapsingSink>(*sink));
        sink = collapsing_.back().get();
      }
      sinks_.push_back(sink);
      idle_.push_back(i);
    }
  }

  Result<IngestReport> run(std::span<const std::string> documents) {
    if (sinks_.size() < executor_.width()) {
      return Error(ErrorKind::kInternal, "the builder has fewer sinks than threads feed it")
          .with("sinks", sinks_.size())
          .with("threads", executor_.width());
    }
    std::vector<std::pair<const std::string*, rdfio::Format>> others;
    for (const std::string& path : documents) {
      WEFT_TRY(const rdfio::Format format, format_of(path, options_));
      if (rdfio::is_line_format(format)) {
        WEFT_TRY_STATUS(read_lines(path, format));
      } else {
        others.emplace_back(&path, format);
      }
    }
    WEFT_TRY_STATUS(executor_.for_each(
        others.size(),
        [&](size_t index) { return read_other(*others[index].first, others[index].second); },
        stop_));
    const base::MutexLock lock(mutex_);
    return std::move(report_);
  }

 private:
  rdfio::ParseOptions parse_options(const std::string& path, const IngestDocument& document) {
    rdfio::ParseOptions parse = options_.parse;
    parse.file_name = path == "-" ? "standard input" : path;
    parse.stop = stop_;
    parse.blank_node_prefix = nullptr;
    if (scopes_blank_nodes()) {
      parse.blank_node_prefix = [&document]() -> Result<std::string> {
        WEFT_TRY(const codec::Digest16 digest, document.content_digest());
        return blank_node_prefix(digest);
      };
    }
    return parse;
  }
  bool scopes_blank_nodes() const { return options_.blank_nodes == BlankNodeScope::kDocument; }

  Status read_lines(const std::string& path, rdfio::Format format) {
    WEFT_TRY(IngestDocument document, IngestDocument::open(path, scopes_blank_nodes(), scratch_));
    WEFT_TRY(rdfio::ParseReport part,
             rdfio::parse_lines_parallel(
                 document.input(), format, parse_options(path, document), executor_,
                 [this](size_t worker) -> rdf::QuadSink& { return *sinks_[worker]; }));
    add(std::move(part));
    return ok_status();
  }

  Status read_other(const std::string& path, rdfio::Format format) {
    WEFT_TRY(IngestDocument document, IngestDocument::open(path, scopes_blank_nodes(), scratch_));
    const size_t sink = take_sink();
    auto part =
        rdfio::parse(document.input(), format, parse_options(path, document), *sinks_[sink]);
    {
      const base::MutexLock lock(mutex_);
      idle_.push_back(sink);
    }
    WEFT_TRY(rdfio::ParseReport done, std::move(part));
    add(std::move(done));
    return ok_status();
  }

  size_t take_sink() {
    const base::MutexLock lock(mutex_);
    WEFT_CHECK(!idle_.empty());
    const size_t sink = idle_.back();
    idle_.pop_back();
    return sink;
  }

  void add(rdfio::ParseReport part) {
    const base::MutexLock lock(mutex_);
    report_.statements += part.statements;
    report_.skipped += part.skipped;
    report_.bytes += part.bytes;
    for (Error& warning : part.warnings) {
      if (report_.warnings.size() < rdfio::kWarningsMax) {
        report_.warnings.push_back(std::move(warning));
      }
    }
  }

  const IngestOptions& options_;
  base::Executor& executor_;
  storage::ScratchSpace& scratch_;
  std::stop_token stop_;
  std::vector<std::unique_ptr<CollapsingSink>> collapsing_;
  std::vector<rdf::QuadSink*> sinks_;
  base::Mutex mutex_;
  std::vector<size_t> idle_ WEFT_GUARDED_BY(mutex_);
  IngestReport report_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace

std::string blank_node_prefix(const codec::Digest16& document) {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
  constexpr unsigned kBits = 5;
  std::string prefix = "w";
  unsigned pending = 0;
  unsigned pending_bits = 0;
  for (const std::byte octet : document) {
    pending = (pending << 8U) | static_cast<unsigned>(octet);
    pending_bits += 8;
    while (pending_bits >= kBits) {
      pending_bits -= kBits;
      prefix.push_back(kAlphabet[(pending >> pending_bits) & 31U]);
    }
    pending &= 255U;
  }
  prefix.push_back(kAlphabet[(pending << (kBits - pending_bits)) & 31U]);
  prefix.push_back('_');
  return prefix;
}

Result<IngestReport> ingest(std::span<const std::string> documents, const IngestOptions& options,
                            base::Executor& executor, storage::ScratchSpace& scratch,
                            rete::SegmentBuilder& builder, std::stop_token stop) {
  return Ingest(options, executor, scratch, builder, std::move(stop)).run(documents);
}

Result<IngestReport> build_segment_of(std::span<const std::string> documents,
                                      const IngestOptions& options, const rete::BuildOptions& build,
                                      base::Executor& executor, storage::ScratchSpace& scratch,
                                      storage::ObjectStore& store, const std::string& name) {
  WEFT_TRY(const auto builder, rete::SegmentBuilder::create(build, executor, scratch));
  WEFT_TRY(IngestReport report,
           ingest(documents, options, executor, scratch, *builder, build.stop));
  WEFT_TRY(const auto writer, store.create(name));
  WEFT_TRY(report.build, builder->finish(*writer));
  WEFT_TRY(const storage::PutOutcome outcome, writer->publish());
  if (outcome == storage::PutOutcome::kLost) {
    return Error(ErrorKind::kAlreadyExists, "cannot create the segment: the name is taken")
        .with("object", name)
        .with("store", store.location());
  }
  return report;
}

}  // namespace weft::quads
