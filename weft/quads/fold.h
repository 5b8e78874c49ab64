// The fold of a log: which quads are visible, as sorted ids, computed lazily. The fold of a single
// segment is that segment.
//
// One segment, the largest that adds, is the *base*: it gives most ids, and its bytes are read by
// range when a scan touches them. All other segments are *overlays*: small ones are decoded into
// memory when a scan first needs them, larger ones are scanned for what a pattern matches. A scan
// merges the base with the overlays' matching rows, in order, without materialising the base.
//
// F1  Visible is what the log says: entry by entry, deletions before additions, the journal last.
// F2  Terms are equal if their canonical tokens are, whatever the writer of a segment stored; equal
//     terms have one id, and a quad is delivered once.
// F3  Opening reads a small constant number of ranges per segment, all at once; it checks every
// pin. F4  What the base does not share with the overlays costs what it costs in the base alone. F5
// Overlays stay within the budget, else kLimit: `weft manifest compact` is the remedy.
//
// Thread-safe; one immutable state. Same meaning as exec::QuadSource, which the engine implements
// over it. How it works: docs/protocols/fold.md
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/result.h"
#include "weft/journal/journal.h"
#include "weft/manifest/address.h"
#include "weft/manifest/document.h"
#include "weft/quads/segments.h"
#include "weft/rdf/ids.h"
#include "weft/rdf/quad.h"
#include "weft/rdf/text_need.h"

namespace weft::quads {

class FoldDraft;

// Rows of one scan, in its order. Not thread-safe. Must not outlive its fold.
class FoldCursor {
 public:
  virtual ~FoldCursor() = default;
  // Replaces `batch` with the next rows; an empty batch is the end. Errors: kCorrupt, kLimit,
  // kUnavailable, kCancelled.
  virtual Status next(rdf::IdBatch& batch) = 0;
  // A hint: rows before (key0, key1), ids of the two positions that follow the pattern's bound
  // ones, need not be delivered any more.
  virtual Status seek(rdf::TermId key0, rdf::TermId key1) = 0;
  // A hint before the first next(): few rows may be enough, so batches should begin small.
  virtual void start_small() {}
  // A hint before the first next(): rows from (key0, key1) on are not wanted, though some may come.
  virtual Status stop_before(rdf::TermId key0, rdf::TermId key1) = 0;
};

// Many small scans by one caller, as rete::SegmentLookup: remembers where the last one ended in the
// base and in up to 16 larger overlays (two blocks of each are held beside the block cache, and the
// memory of the largest answer). Not thread-safe. Must not outlive its fold.
class FoldLookup {
 public:
  virtual ~FoldLookup() = default;
  // The same as rete::SegmentLookup::look_up, of what is visible. 0 as well where the base has
  // aliases, and while decoding the overlays would not pay yet. Errors: those of a scan.
  virtual Result<size_t> look_up(std::span<const rdf::IdPattern> patterns,
                                 rdf::Permutation permutation, size_t rows_max, rdf::IdBatch& rows,
                                 std::vector<uint32_t>& ends, const std::stop_token& stop) = 0;
};

struct FoldFacts {
  size_t log_entries = 0;
  size_t segments = 0;  // different ones
  // Index into segments() of the base.
  std::optional<size_t> base;
  // The journal's report, if there is one.
  std::optional<journal::JournalReport> journal;
  // False if a segment is used whose bytes are not checked (a foreign file at a remote place).
  bool is_checked = true;
};

class Fold {
 public:
  // `manifest_address` (a path or URL) is what segment URLs are relative to; a journal at
  // `manifest_address` + ".changes" is folded in last, if `with_journal`. `opener` must outlive the
  // fold. Errors: those of SegmentSet::open and journal::read_journal.
  static Result<std::shared_ptr<Fold>> open(const std::vector<manifest::LogEntry>& log,
                                            const std::string& manifest_address, bool with_journal,
                                            manifest::ObjectOpener& opener,
                                            const FoldResources& resources);
  // The same of a whole manifest: what a seal has taken into the log is not taken from the journal
  // again. `journal` was opened before the manifest was read, or is null.
  static Result<std::shared_ptr<Fold>> open(const manifest::Manifest& manifest,
                                            const std::string& manifest_address,
                                            std::unique_ptr<storage::ObjectReader> journal,
                                            manifest::ObjectOpener& opener,
                                            const FoldResources& resources);
  // `journal` may be null.
  static Result<std::shared_ptr<Fold>> of_segment(
      std::shared_ptr<rete::Segment> segment, const FoldResources& resources,
      std::unique_ptr<storage::ObjectReader> journal = nullptr);
  virtual ~Fold() = default;

  virtual const FoldFacts& facts() const = 0;
  virtual const SegmentSet& segments() const = 0;

  // ---- as exec::QuadSource ---------------------------------------------------------------------
  virtual Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids,
                      std::stop_token stop) = 0;
  virtual Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens,
                        std::stop_token stop) = 0;
  virtual Result<std::unique_ptr<FoldCursor>> scan(const rdf::IdPattern& pattern,
                                                   rdf::Permutation permutation,
                                                   std::stop_token stop) = 0;
  virtual Status prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                          std::stop_token stop) = 0;
  // For many small scans.
  virtual std::unique_ptr<FoldLookup> lookup() = 0;
  // A place between the rows of a scan, as ids of the two positions that follow the bound ones;
  // the second may be kNoTerm.
  using Cut = std::pair<rdf::TermId, rdf::TermId>;
  // The base's Segment::cuts: fewer where every scan would gather many overlay rows again, none
  // of a remote base.
  virtual Result<std::vector<Cut>> cuts(const rdf::IdPattern& pattern, rdf::Permutation permutation,
                                        size_t pieces, std::stop_token stop) = 0;
  virtual Result<std::vector<rdf::TermId>> graphs(std::stop_token stop) = 0;
  virtual Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) = 0;
  virtual Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) = 0;
  virtual bool has_order(rdf::Permutation permutation) const = 0;

  // Ascending: among them the subject of every visible row that matches `pattern` (its subject and
  // object open) and whose object meets `demand`. nullopt if no index proves it, or if these are
  // probably more than `subjects_max`.
  virtual Result<std::optional<std::vector<rdf::TermId>>> subjects_with_text(
      const rdf::IdPattern& pattern, const rdf::TextDemand& demand, size_t subjects_max,
      std::stop_token stop) = 0;
  // Whether subjects_with_text() can tell anything.
  virtual bool has_text_index() const = 0;

  // The same as tokens(), replacing `table`; one block of memory instead of a string each.
  virtual Status token_table(std::span<const rdf::TermId> ids, rete::TokenTable& table,
                             std::stop_token stop) = 0;

  // ---- beyond it -------------------------------------------------------------------------------
  // Visible quads of all graphs, exactly. Without overlays it reads nothing.
  virtual Result<uint64_t> quad_count(std::stop_token stop) = 0;

  // A quad and whether it was visible at an earlier entry and is visible now.
  struct Change {
    rdf::TermId subject = rdf::kNoTerm;
    rdf::TermId predicate = rdf::kNoTerm;
    rdf::TermId object = rdf::kNoTerm;
    rdf::TermId graph = rdf::kNoTerm;  // kNoTerm: the default graph
    bool added = false;                // else removed
  };
  // What became visible or invisible since the log had only its first `entries` entries, in
  // batches. Cost and memory in proportion to the overlays, and time to the base if that was added
  // since. The default graph first, then graph by graph, each in the order SPO.
  virtual Status changes_since(size_t entries,
                               const std::function<Status(std::span<const Change>)>& take,
                               std::stop_token stop) = 0;

  // ---- changes on top of the log ---------------------------------------------------------------
  // Begins changes on top of this state.
  virtual std::unique_ptr<FoldDraft> draft() = 0;
  // The changes that this state has on top of its log, each quad once.
  virtual Status changes_on_top(
      const std::function<Status(bool insert, const rdf::QuadView& quad)>& take) = 0;
  virtual size_t changed_quads() const = 0;
  // How far `manifest`, whose log this folds, has taken in its journal (seal_mark.h).
  virtual Result<std::optional<journal::JournalPosition>> sealed(
      const manifest::Manifest& manifest) = 0;
  // Decodes what the first use would decode.
  virtual Status warm_up(std::stop_token stop) = 0;
};

}  // namespace weft::quads
