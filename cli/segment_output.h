// Options and work that all commands share which write a segment: build, merge, compact.
#pragma once

#include <memory>
#include <string>

#include "cli/progress.h"
#include "cli/session.h"
#include <CLI/CLI.hpp>

#include "weft/base/result.h"
#include "weft/rete/build/segment_builder.h"

namespace weft::cli {

struct SegmentContentOptions {
  int format_version = 6;
  int permutations = 6;
  bool no_schema = false;
  bool text_index = false;
  bool label_index = false;
  bool no_block_digests = false;
  std::string card_path;
  std::string type_predicate;
  uint32_t tile_kib = 64;
  uint32_t chunk_kib = 64;
  int zstd_level = 9;
};

struct SegmentOutputOptions {
  std::string path;
  std::string scratch_directory;
  bool replace = false;
  SegmentContentOptions content;
};

void add_segment_content_options(CLI::App& command, SegmentContentOptions& options);
void add_segment_output_options(CLI::App& command, SegmentOutputOptions& options);

// `progress` and `session` must outlive what the options are used for. Errors: those of reading the
// card.
Result<rete::BuildOptions> build_options(const SegmentContentOptions& options, Session& session,
                                         ProgressLine& progress);

// A segment in the making. Nothing appears before publish().
class SegmentOutput {
 public:
  // Errors: kAlreadyExists if the output exists (and may not be replaced); those of storage.
  // `build` says what the segment contains (build_options).
  static Result<std::unique_ptr<SegmentOutput>> open(const SegmentOutputOptions& options,
                                                     rete::BuildOptions build, Session& session);
  virtual ~SegmentOutput() = default;
  virtual rete::SegmentBuilder& builder() = 0;
  virtual storage::ScratchSpace& scratch() = 0;
  // Writes, syncs, makes the file appear, and prints what it is.
  virtual Status publish() = 0;
};

// Prints a report of a segment that was written to `path`.
void print_build_report(const rete::BuildReport& report, const std::string& path, Session& session);

}  // namespace weft::cli
