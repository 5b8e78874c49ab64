#include "cli/segment_output.h"

#include "cli/json_text.h"
#include "cli/text_file.h"
#include <fmt/format.h>

#include "weft/storage/local_file.h"
#include "weft/storage/scratch.h"

namespace weft::cli {
namespace {

constexpr uint64_t kCardBytesMax = uint64_t{64} << 20U;

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

class FileSegmentOutput final : public SegmentOutput {
 public:
  FileSegmentOutput(std::string path, Session& session,
                    std::unique_ptr<storage::ScratchSpace> scratch,
                    std::unique_ptr<storage::ObjectWriter> writer)
      : path_(std::move(path)),
        session_(session),
        scratch_(std::move(scratch)),
        writer_(std::move(writer)) {}

  Status start(rete::BuildOptions options) {
    WEFT_TRY(builder_,
             rete::SegmentBuilder::create(std::move(options), session_.executor(), *scratch_));
    return ok_status();
  }

  rete::SegmentBuilder& builder() override { return *builder_; }
  storage::ScratchSpace& scratch() override { return *scratch_; }

  Status publish() override {
    WEFT_TRY(const rete::BuildReport report, builder_->finish(*writer_));
    WEFT_TRY(const storage::PutOutcome outcome, writer_->publish());
    if (outcome == storage::PutOutcome::kLost) {
      return Error(ErrorKind::kAlreadyExists, "output appeared meanwhile").with("file", path_);
    }
    print_build_report(report, path_, session_);
    return ok_status();
  }

 private:
  std::string path_;
  Session& session_;
  std::unique_ptr<storage::ScratchSpace> scratch_;
  std::unique_ptr<storage::ObjectWriter> writer_;
  std::unique_ptr<rete::SegmentBuilder> builder_;
};

}  // namespace

void add_segment_content_options(CLI::App& command, SegmentContentOptions& options) {
  command.add_option("--format-version", options.format_version, "Generation of the file: 6 or 5")
      ->check(CLI::IsMember({6, 5}));
  command.add_option("--permutations", options.permutations, "Sort orders kept: 6 or 3")
      ->check(CLI::IsMember({6, 3}));
  command.add_flag("--no-schema", options.no_schema, "Leave out statistics and schema");
  command.add_flag("--text-index", options.text_index, "Add an index of the words in literals");
  command.add_flag("--label-index", options.label_index, "Add an index of labels");
  command.add_flag("--no-block-digests", options.no_block_digests,
                   "Leave out the digests by which readers check what they read");
  command.add_option("--card", options.card_path, "Embed this dataset card (a JSON file)");
  command.add_option("--type-predicate", options.type_predicate,
                     "IRI of the predicate that types subjects (default: rdf:type)");
  command.add_option("--tile-kib", options.tile_kib, "Size of index tiles before compression")
      ->check(CLI::Range(1, 4096));
  command
      .add_option("--dict-chunk-kib", options.chunk_kib,
                  "Size of dictionary chunks before compression")
      ->check(CLI::Range(1, 4096));
  command.add_option("--zstd-level", options.zstd_level, "Compression level")
      ->check(CLI::Range(1, 22));
}

void add_segment_output_options(CLI::App& command, SegmentOutputOptions& options) {
  command.add_option("-o,--output", options.path, "The segment to write")->required();
  command.add_option(
      "--tmp-dir", options.scratch_directory,
      "Where sorted runs go if memory does not suffice (default: beside the output)");
  command.add_flag("--replace", options.replace, "Replace an existing output");
  add_segment_content_options(command, options.content);
}

Result<rete::BuildOptions> build_options(const SegmentContentOptions& content, Session& session,
                                         ProgressLine& progress) {
  rete::BuildOptions options;
  options.format_version = static_cast<uint8_t>(content.format_version);
  options.six_permutations = content.permutations == 6;
  options.schema = !content.no_schema;
  options.label_index = content.label_index;
  if (content.text_index) {
    options.text_index = rete::TextIndexScope{};
  }
  options.block_digests = !content.no_block_digests;
  options.tile_bytes = content.tile_kib * 1024;
  options.chunk_bytes = content.chunk_kib * 1024;
  options.zstd_level = content.zstd_level;
  if (!content.type_predicate.empty()) {
    options.type_predicate = content.type_predicate.starts_with('<')
                                 ? content.type_predicate
                                 : "<" + content.type_predicate + ">";
  }
  if (!content.card_path.empty()) {
    WEFT_TRY(options.card_json, read_text_file(content.card_path, kCardBytesMax));
  }
  options.memory_bytes = session.memory_bytes();
  options.stop = session.stop();
  options.progress = [&progress](const rete::BuildProgress& state) {
    progress.update(state.phase, state.done, state.total);
  };
  return options;
}

Result<std::unique_ptr<SegmentOutput>> SegmentOutput::open(const SegmentOutputOptions& options,
                                                           rete::BuildOptions build,
                                                           Session& session) {
  const auto if_exists = options.replace ? storage::IfExists::kReplace : storage::IfExists::kRefuse;
  WEFT_TRY(auto writer, storage::create_local_file(options.path, if_exists));
  auto scratch = storage::local_scratch(
      options.scratch_directory.empty() ? folder_of(options.path) : options.scratch_directory);
  auto output = std::make_unique<FileSegmentOutput>(options.path, session, std::move(scratch),
                                                    std::move(writer));
  WEFT_TRY_STATUS(output->start(std::move(build)));
  return std::unique_ptr<SegmentOutput>(std::move(output));
}

void print_build_report(const rete::BuildReport& report, const std::string& path,
                        Session& session) {
  if (session.options().json) {
    JsonText json;
    json.begin_object()
        .field("schemaVersion", uint64_t{1})
        .field("output", std::string_view(path))
        .field("content_hash", std::string_view(codec::to_hex(report.content_hash)))
        .field("size", report.file_bytes)
        .field("statements", report.statements)
        .field("duplicates", report.duplicates)
        .field("quads", report.default_triples + report.named_quads)
        .field("default_graph_triples", report.default_triples)
        .field("named_graph_quads", report.named_quads)
        .field("graphs", report.graphs)
        .field("terms", report.terms)
        .field("spilled_runs", report.spilled_runs)
        .end_object();
    session.print(json.text() + "\n");
    return;
  }
  const std::string graphs =
      report.graphs == 0 ? "" : fmt::format(", {} named graphs", with_separators(report.graphs));
  session.print(fmt::format("wrote {}: {} quads{}, {} terms, {}\n", path,
                            with_separators(report.default_triples + report.named_quads), graphs,
                            with_separators(report.terms), readable_bytes(report.file_bytes)));
  if (!report.schema_left_out.empty()) {
    session.note("weft: no schema section: " + report.schema_left_out);
  }
}

}  // namespace weft::cli
