// What a `.rete` segment is to contain and what its building may use. The defaults are those of
// `weft build`; the format is described in docs/formats/rete.md, the knobs in
// docs/formats/segment-building.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/codec/blake3.h"

namespace weft::rete {

// Which literals the text index covers.
struct TextIndexScope {
  enum class Predicates : uint8_t { kAll, kOnly, kAllBut };
  bool named_graphs = false;
  Predicates predicates = Predicates::kAll;
  // Tokens (`<iri>`) for kOnly and kAllBut.
  std::vector<std::string> listed;
};

// How the tiles of many named graphs lie in the file. kAuto: graph-major if a graph has less than
// 64 KiB of tiles on average.
enum class QuadClustering : uint8_t { kAuto, kGraphMajor, kOrderMajor };

// A section of a kind this program does not know, carried over when a segment is rewritten. Kinds
// below 16 go into the front region, others into the data region.
struct CarriedSection {
  uint8_t kind = 0;
  uint32_t block_bytes_max = 0;
  Bytes bytes;
};

struct BuildProgress {
  std::string_view phase;  // "reading", "dictionary", "sorting", "index", "writing"
  uint64_t done = 0;
  uint64_t total = 0;  // 0: not known
};

struct BuildOptions {
  // 6, or 5 for the older engine (its directory is one level, graphs are stored one by one).
  uint8_t format_version = 6;
  // SPO, POS, OSP and, if set, SOP, PSO, OPS.
  bool six_permutations = true;

  bool compress = true;
  int zstd_level = 9;              // 1 … 22
  uint32_t tile_bytes = 65536;     // 1 KiB … 4 MiB, before compression
  uint32_t chunk_bytes = 65536;    // 1 KiB … 4 MiB, before compression
  uint32_t restart_interval = 16;  // 1 … 1024

  bool schema = true;
  // Token of the predicate that types subjects; empty: rdf:type.
  std::string type_predicate;
  bool label_index = false;
  std::optional<TextIndexScope> text_index;
  QuadClustering quad_clustering = QuadClustering::kAuto;
  // The digests of all 64 KiB blocks (section 9), byte 6 only.
  bool block_digests = true;

  // JSON text, embedded with its format version brought up to date. Empty: no card.
  std::string card_json;
  bool build_record = true;
  // Further members of the build record, as JSON text without braces: `"seal":{"sequence":7}`.
  std::string record_members;
  std::vector<CarriedSection> carried;

  // What the builder may hold in memory over all its sinks, its threads' work space excluded.
  // 0: a quarter of the machine's memory.
  uint64_t memory_bytes = 0;
  // Sinks that may be used side by side. 0: as many as the executor is wide.
  size_t sink_count = 0;
  // Terms of one role, and graphs: the format's ids have 32 bits. Lower only in tests.
  uint64_t ids_max = UINT32_MAX;

  // Called now and then by the thread that calls the builder, never by two threads at once.
  std::function<void(const BuildProgress&)> progress;
  std::stop_token stop;
};

// At least this much memory is needed.
inline constexpr uint64_t kBuildMemoryBytesMin = uint64_t{32} << 20U;
// One token: a longer literal is refused with kLimit.
inline constexpr uint64_t kTokenBytesMax = uint64_t{1} << 30U;

struct BuildReport {
  uint64_t statements = 0;  // accepted, duplicates included
  uint64_t duplicates = 0;
  uint64_t default_triples = 0;
  uint64_t named_quads = 0;
  uint64_t graphs = 0;
  uint64_t terms = 0;
  uint64_t file_bytes = 0;
  codec::Digest16 content_hash{};
  // Runs that did not fit in memory and went through scratch files.
  uint64_t spilled_runs = 0;
  // Empty, or why the schema section is missing although it was asked for.
  std::string schema_left_out;
};

}  // namespace weft::rete
