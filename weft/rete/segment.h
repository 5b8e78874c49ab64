// One opened `.rete` file of generation 5 or 6: a lazy, immutable, thread-safe view. Opening reads
// the header and the directory roots; everything else is read when a question touches it.
//
// R1  No byte influences an answer before it was checked: against the block digests in weft's own
//     files, against the hash of the whole file once per state of a local file of others
//     (verdict.h). Files of others at a remote place are the exception, and is_checked() says so.
// R2  Damage is kCorrupt, naming file, section and offset; never fewer, other or more rows.
//     (test: bit_flip_test.cc)
// R3  What is decoded is checked once more for sense: counts against the bytes that remain, ids
//     against the dictionary, rows and terms strictly ascending, zone maps and directories exact.
//
// Ids are local to the segment. Nodes (subjects, objects, graph names) have one space, in which
// shared terms come first, then subjects, then objects, then graph names that are no terms (only in
// generation 5): within each role, node ids ascend as the stored role ids do. Predicates have their
// own space. 0 is no term. Tokens come as they are stored: canonical (weft/rdf/term.h) in files
// that say so; for others irregular_terms() lists those that are not.
//
// Format: docs/formats/rete.md
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/codec/blake3.h"
#include "weft/rdf/ids.h"
#include "weft/rdf/text_need.h"
#include "weft/rete/block_cache.h"
#include "weft/rete/schema.h"
#include "weft/rete/token_table.h"
#include "weft/rete/verdict.h"
#include "weft/storage/object_store.h"

namespace weft::rete {

using NodeId = uint32_t;
using PredicateId = uint32_t;

enum class VerifyPolicy : uint8_t {
  kLocalFiles,  // files of others are hashed once if they are local
  kAlways,      // and if they are remote, too (which fetches all of them)
};

struct SegmentOptions {
  // Shared by many segments; nullptr: a small one of its own.
  std::shared_ptr<BlockCache> cache;
  // Decodes and hashes in parallel. nullptr: on the caller's thread. Must outlive the segment.
  base::Executor* executor = nullptr;
  // Remembers verdicts on files of others beyond the process. nullptr: within the segment only.
  std::shared_ptr<VerdictStore> verdicts;
  VerifyPolicy verify = VerifyPolicy::kLocalFiles;
  // Pins: opening fails with kCorrupt if the file has another hash or size.
  std::optional<codec::Digest16> expected_hash;
  std::optional<uint64_t> expected_size;
};

// What the header tells; reading it costs nothing.
struct SegmentFacts {
  struct Section {
    uint16_t kind = 0;
    std::string name;
    uint64_t offset = 0;  // absolute
    uint64_t size = 0;    // stored
  };
  uint8_t generation = 0;
  codec::Digest16 content_hash{};
  uint64_t file_size = 0;
  uint64_t quad_count = 0;  // default graph and named graphs
  uint64_t term_count = 0;
  // Generation 5 does not say: nullopt. graphs() knows.
  std::optional<uint64_t> graph_count;
  uint8_t permutation_mask = 0;  // never 0
  uint8_t flags = 0;             // raw; meaning depends on the generation
  uint16_t presence = 0;         // generation 6 only
  uint32_t pyramid_levels = 0;
  bool has_named_graphs = false;
  bool has_quoted_triples = false;
  bool has_block_digests = false;
  bool has_canonical_tokens = false;  // the writer guarantees it
  bool has_text_index = false;
  bool has_label_index = false;
  bool has_schema = false;
  std::vector<Section> sections;
};

struct TermCounts {
  uint32_t shared = 0;
  uint32_t subjects = 0;  // only subjects
  uint32_t objects = 0;   // only objects
  uint32_t predicates = 0;
  uint32_t graph_names = 0;  // no terms of the dictionary; generation 5 only
  uint32_t nodes() const { return shared + subjects + objects + graph_names; }
};

// A pattern in local ids; 0 stands for any.
struct LocalPattern {
  NodeId subject = 0;
  PredicateId predicate = 0;
  NodeId object = 0;
  rdf::GraphScope scope = rdf::GraphScope::kDefault;
  NodeId graph = 0;  // for GraphScope::kOne
};

// Rows as columns of equal length; `graph` is filled for GraphScope::kAllNamed only.
struct LocalBatch {
  std::vector<NodeId> subject;
  std::vector<PredicateId> predicate;
  std::vector<NodeId> object;
  std::vector<NodeId> graph;
  size_t size() const { return subject.size(); }
  void clear();
};

// A place in the order of a scan: rows before it are those with a smaller (graph, a, b, c), a, b, c
// being the columns in the order of the permutation, as local ids.
struct RowKey {
  uint32_t graph = 0;  // 0 in GraphScope::kDefault and kOne
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
};

// Rows of one scan, ascending by (graph, a, b, c). Not thread-safe. Must not outlive its segment.
class SegmentCursor {
 public:
  virtual ~SegmentCursor() = default;
  // Replaces `batch` with the next rows, at most `kBatchRows`; an empty batch is the end. Errors:
  // kCorrupt, kUnavailable, kLimit, kCancelled; after an error the cursor is of no use.
  virtual Status next(LocalBatch& batch) = 0;
  // Rows before `key` are not delivered any more. Only forward: an earlier key does nothing. Skips
  // tiles by the directory, and inside a tile by its checkpoints.
  virtual Status seek(const RowKey& key) = 0;
  // A hint before the first next(): few rows may be enough. Batches begin small then, and grow.
  virtual void start_small() {}
  // A hint before the first next(): rows from `key` on are not wanted, though some may come. Does
  // nothing where rows come graph by graph.
  virtual void stop_before(const RowKey& /*key*/) {}

  static constexpr size_t kBatchRows = 4096;
  // With start_small(): rows of the first batch, and how many times as many each next one has.
  static constexpr size_t kSmallBatchRows = 32;
  static constexpr size_t kBatchGrowth = 8;
};

// Many small scans by one caller. Remembers where the last one ended: a neighbour is then found
// without asking the block cache, and no memory is taken but for rows. Holds one leaf of a
// directory and one tile (lookup.h, P1). Not thread-safe. Must not outlive its segment.
class SegmentLookup {
 public:
  virtual ~SegmentLookup() = default;
  // Replaces `rows` with those of patterns[0], patterns[1], … until `rows_max` are there, and
  // `ends` with the number of rows behind each. Patterns bind the leading position of the order,
  // neighbours are cheapest one behind the other. Returns how many patterns were done; 0 if the
  // first has more than `rows_max` rows to look at, or if the segment cannot do it (remote files,
  // graphs in containers): scan then. The answer does not depend on earlier calls. Errors: those of
  // a scan; any question may follow.
  virtual Result<size_t> look_up(std::span<const LocalPattern> patterns,
                                 rdf::Permutation permutation, size_t rows_max, LocalBatch& rows,
                                 std::vector<uint32_t>& ends, const std::stop_token& stop) = 0;
};

enum class TermRoles : uint8_t { kNodes = 1, kPredicates = 2, kBoth = 3 };

struct LocalTerm {
  NodeId node = 0;
  PredicateId predicate = 0;
  friend bool operator==(const LocalTerm&, const LocalTerm&) = default;
};

struct GraphEntry {
  NodeId graph = 0;
  uint64_t quad_count = 0;
};

// A stored token that is not canonical. Two tokens may have one canonical form ("x" and
// "x"^^xsd:string): the entries of both then name the same `canonical`, or only one of them if the
// other is canonical as stored.
struct IrregularTerm {
  LocalTerm term;  // one of the two is set
  std::string canonical;
};

struct TextScope {
  bool covers_named_graphs = false;
  enum class Predicates : uint8_t { kAll, kOnly, kAllBut } predicates = Predicates::kAll;
  std::vector<std::string> listed;  // predicate tokens
};

struct LabelMatch {
  std::string key;      // the label in lower case
  std::string label;    // as it is displayed
  std::string subject;  // token
};

// A section this version has no use for, for tools that rewrite a file.
struct RawSection {
  uint16_t kind = 0;
  uint16_t flags = 0;
  storage::Buffer bytes;
};

// Thread-safe.
class Segment {
 public:
  // One small read (64 KiB; 128 KiB of a remote file), a second one only if the roots are longer.
  // Errors: kInvalid if it is no `.rete` file, kUnsupported (generation, codec, id width, root
  // version), kCorrupt (also a pin that differs), kUnavailable.
  static Result<std::shared_ptr<Segment>> open(std::unique_ptr<storage::ObjectReader> reader,
                                               const SegmentOptions& options);
  virtual ~Segment() = default;

  virtual const std::string& name() const = 0;
  virtual const SegmentFacts& facts() const = 0;
  virtual bool is_remote() const = 0;
  // True if every byte that is used is checked (R1). Costs nothing.
  virtual bool is_checked() const = 0;

  // ---- terms -----------------------------------------------------------------------------------
  virtual Result<TermCounts> term_counts() = 0;
  // Replaces `found` with one entry per token, zeros where there is none. Tokens are compared byte
  // by byte. Needs at most three serial reads, whatever the number of tokens. In any order; sorted
  // tokens are cheapest.
  virtual Status find(std::span<const std::string_view> tokens, TermRoles roles,
                      std::vector<LocalTerm>& found, std::stop_token stop) = 0;
  Status find_nodes(std::span<const std::string_view> tokens, std::vector<NodeId>& nodes,
                    std::stop_token stop = {});
  Status find_predicates(std::span<const std::string_view> tokens,
                         std::vector<PredicateId>& predicates, std::stop_token stop = {});
  // Replaces `tokens` with those of `nodes`, then those of `predicates`, each in the order asked.
  // At most two serial reads. Ids must be valid (checked: kInternal). Each dictionary chunk is
  // decoded once per call, so ask for many at once.
  virtual Status tokens_of(std::span<const NodeId> nodes, std::span<const PredicateId> predicates,
                           TokenTable& tokens, std::stop_token stop) = 0;
  // Terms whose stored token is not canonical. Empty without reading if the writer guarantees it;
  // else one pass over the dictionary, remembered beside the verdict.
  virtual Result<std::shared_ptr<const std::vector<IrregularTerm>>> irregular_terms(
      std::stop_token stop) = 0;

  // ---- quads -----------------------------------------------------------------------------------
  bool has_permutation(rdf::Permutation permutation) const {
    return (facts().permutation_mask >> static_cast<unsigned>(permutation) & 1U) != 0;
  }
  // Any positions may be bound; those in front of the permutation are found by the directory, the
  // others prune tiles and filter rows. Errors: kInvalid if the permutation is not stored.
  virtual Result<std::unique_ptr<SegmentCursor>> scan(const LocalPattern& pattern,
                                                      rdf::Permutation permutation,
                                                      std::stop_token stop) = 0;
  // Places, ascending and different, that cut the rows of this scan into about `pieces` of similar
  // size: its directory is read, no tile. The same every time. Empty where there are too few tiles,
  // and where nobody needs it: rows that come graph by graph, graphs in containers.
  virtual Result<std::vector<RowKey>> cuts(const LocalPattern& /*pattern*/,
                                           rdf::Permutation /*permutation*/, size_t /*pieces*/,
                                           // NOLINTNEXTLINE(performance-unnecessary-value-param)
                                           std::stop_token /*stop*/) {
    return std::vector<RowKey>();
  }
  // For many small scans.
  virtual std::unique_ptr<SegmentLookup> lookup() = 0;
  // Brings what scans of all these patterns need into the cache, in one or two serial reads;
  // patterns that need more than a share of the cache are left to their scan.
  virtual Status prefetch(std::span<const LocalPattern> patterns, rdf::Permutation permutation,
                          std::stop_token stop) = 0;
  // Exact if directories, statistics and at most two decoded tiles tell; else interpolated.
  virtual Result<rdf::Cardinality> count(const LocalPattern& pattern, std::stop_token stop) = 0;

  // Named graphs with their quads, ascending by node id.
  virtual Result<std::shared_ptr<const std::vector<GraphEntry>>> graphs(std::stop_token stop) = 0;
  // 0 if there is no such graph.
  virtual Result<uint64_t> quads_in_graph(NodeId graph, std::stop_token stop) = 0;

  // ---- beside the graph ------------------------------------------------------------------------
  // The dataset card, JSON as stored.
  virtual Result<std::optional<std::string>> card() = 0;
  // The build record, JSON; nothing in the format protects it.
  virtual Result<std::optional<std::string>> build_record() = 0;
  // Statistics of the default graph. nullptr if there is no schema section.
  virtual Result<std::shared_ptr<const Schema>> schema() = 0;
  // nullopt if there is no text index.
  virtual Result<std::optional<TextScope>> text_scope() = 0;
  // Subjects that have a literal with this word, ascending. `word` in lower case, two characters or
  // more, as the index has it.
  virtual Result<std::vector<NodeId>> subjects_with_word(std::string_view word) = 0;
  // Ascending, among them every subject that has, in the scope of the text index, a literal that
  // satisfies all of `needs` (text_words.h). nullopt if nothing proves that the index knows them:
  // there is none, the writer does not guarantee canonical tokens (only weft's own do), the needs
  // say nothing about words; and if they are probably more than `subjects_max`.
  virtual Result<std::optional<std::vector<NodeId>>> subjects_with_text(
      std::span<const rdf::TextNeed> needs, uint64_t subjects_max, std::stop_token stop) = 0;
  // At most `count_max` labels that begin with `prefix` (in lower case), ascending by (key,
  // subject). Empty if there is no label index.
  virtual Result<std::vector<LabelMatch>> labels_with_prefix(std::string_view prefix,
                                                             size_t count_max) = 0;
  // The pyramid as stored; empty if there is none.
  virtual Result<storage::Buffer> pyramid() = 0;
  virtual Result<std::vector<RawSection>> unknown_sections() = 0;

  // ---- role ids --------------------------------------------------------------------------------
  // The stored id of a node as subject or object; 0 if the node cannot have that role.
  static uint32_t subject_id(const TermCounts& counts, NodeId node) {
    return node <= counts.shared + counts.subjects ? node : 0;
  }
  static uint32_t object_id(const TermCounts& counts, NodeId node) {
    if (node <= counts.shared) {
      return node;
    }
    const uint32_t first = counts.shared + counts.subjects;
    return node > first && node <= first + counts.objects ? node - counts.subjects : 0;
  }
  static NodeId node_of_subject(uint32_t subject_id) { return subject_id; }
  static NodeId node_of_object(const TermCounts& counts, uint32_t object_id) {
    return object_id <= counts.shared ? object_id : object_id + counts.subjects;
  }
};

}  // namespace weft::rete
