// A graph that is written while it is read: a manifest (or a single segment) with its journal. What
// a server or a command that updates holds open.
//
// E1  Each update is one atomic step. It is durable in the journal, then visible, then
//     acknowledged; one that fails, in whatever operation, changes nothing.
// E2  A snapshot is one immutable state. Taking one never waits for a writer, and holding one never
//     holds a writer up.
// E3  Updates are serialisable: each reads what all before it wrote. Syncs are shared by all that
//     wait (group commit).
// E4  Counts in receipts are true: quads that appeared, quads that disappeared.
// E5  Blank nodes that updates make have labels that no other document, process or run has.
// E6  Seal and compaction change no state that a snapshot shows; a crash at any instant leaves
//     either the journal or the segment in charge (docs/protocols/seal.md).
// E7  One writer: a second process is told who holds the graph. Readers are not limited.
//
// Thread-safe, all of it. Protocols: docs/protocols/journal.md, docs/protocols/seal.md
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/codec/stream.h"
#include "weft/engine/environment.h"
#include "weft/exec/quad_source.h"
#include "weft/exec/service_client.h"
#include "weft/quads/fold.h"
#include "weft/rdfio/format.h"

namespace weft::engine {

// One state of a live graph. Thread-safe. Keeps what it needs open; may outlive the LiveGraph, not
// the Environment.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  virtual exec::QuadSource& source() = 0;
  virtual quads::Fold& fold() = 0;
  // Of the manifest; 0 for a single segment.
  virtual uint64_t generation() const = 0;
  // Commits of the journal that this state includes; grows with each update.
  virtual uint64_t sequence() const = 0;
  // Names this state among all that the graph ever had: letters, digits and dashes, without quotes.
  // The same after a restart, a seal, a compaction; a new one after each change.
  virtual const std::string& tag() const = 0;
  // Visible quads; quick when updates alone have changed the number since the last call.
  virtual Result<uint64_t> quad_count(std::stop_token stop) = 0;
};

enum class Access : uint8_t { kReadOnly, kReadWrite };

// When maintain() seals and compacts.
struct MaintenancePolicy {
  uint64_t seal_bytes = uint64_t{16} << 20U;  // of journal; 0: never by size
  uint64_t seal_changes = 100'000;            // in it; 0: never by number
  int64_t seal_age_ms = 3'600'000;            // since its oldest change; 0: never by age
  // Compact when quads of entries behind the base are more than this part of the base, in percent,
  // or there are more segments; 0: never.
  uint64_t compact_percent = 50;
  uint64_t compact_segments = 100;
  // Files that a manifest named and none names any more are removed after this time, those longest
  // unnamed earlier where they take more room than the live ones; what was never named after the
  // grace period of `weft manifest gc`; negative: never.
  int64_t sweep_after_ms = 60'000;
};

struct LiveOptions {
  Access access = Access::kReadWrite;
  // Default: the target + ".changes".
  std::optional<std::string> journal_path;
  // Said to whom is refused because we hold the graph, beside the process id: "weft serve :8080".
  std::string holder = "weft";
  MaintenancePolicy policy;
  // An update of more changes becomes a segment of its own at once (manifests only).
  uint64_t large_update_changes = 20'000;
  // How long open() waits for another writer.
  uint64_t writer_wait_ms = 0;
  // Where working files of seals and compactions go. Empty: the manifest's folder.
  std::string scratch_folder;
};

// Gives LOAD its document: decompressed bytes and their syntax. Errors: kDenied for what the caller
// does not allow.
struct LoadedDocument {
  std::unique_ptr<codec::InputStream> input;
  rdfio::Format format = rdfio::Format::kTurtle;
};
using DocumentLoader =
    std::function<Result<LoadedDocument>(const std::string& iri, std::stop_token stop)>;

struct UpdateOptions {
  std::string base_iri;
  // using-graph-uri and using-named-graph-uri of the protocol: IRIs without brackets.
  std::vector<std::string> using_graphs;
  std::vector<std::string> using_named_graphs;
  // What the request calls the default graph is this one, an IRI without brackets (PATCH of the
  // Graph Store Protocol). Empty: the default graph.
  std::string target_graph;
  // The update is refused with kConflict unless the state it applies to has this tag.
  std::optional<std::string> if_tag;
  std::stop_token stop;
  uint64_t timeout_ms = 0;  // 0: none
  // What the operations may hold, beside the environment's query budget. Null: that one.
  base::MemoryBudget* budget = nullptr;
  // Null: LOAD is refused.
  DocumentLoader loader;
  // Null: SERVICE is refused.
  exec::ServiceClient* services = nullptr;
};

struct UpdateReceipt {
  uint64_t inserted = 0;
  uint64_t removed = 0;
  uint64_t generation = 0;
  uint64_t sequence = 0;
  std::string tag;  // of the state that the update made (or found, if it changed nothing)
};

// One RDF document into one graph (the Graph Store Protocol's PUT and POST) or, with no `graph`,
// a data set as it stands.
struct LoadRequest {
  // Read to its end, in bounded memory. Must stay valid during the call.
  codec::InputStream* input = nullptr;
  rdfio::Format format = rdfio::Format::kTurtle;
  std::string base_iri;
  std::string document_name;  // for messages
  // "" is the default graph, else an IRI without brackets; nullopt: where the document says.
  std::optional<std::string> graph = std::string();
  // The graph's quads are replaced, in the same step.
  bool replace = false;
};

struct SealRequest {
  // Says what would be sealed, and changes nothing; works on a graph that is open for reading, too.
  bool dry_run = false;
  // Where the segments go, made if it is absent; default: the manifest's folder. Seen from the
  // working folder.
  std::optional<std::string> folder;
  std::stop_token stop;
};

struct SealReceipt {
  bool sealed = false;  // false: there was nothing to seal
  uint64_t generation = 0;
  uint64_t added_quads = 0;
  uint64_t deleted_quads = 0;
  std::vector<std::string> files;
};

struct LiveFacts {
  bool writable = false;
  bool is_manifest = false;
  uint64_t generation = 0;
  size_t log_entries = 0;
  std::string journal_path;
  uint64_t journal_bytes = 0;
  uint64_t journal_changes = 0;
  uint64_t commits = 0;  // acknowledged since open()
  uint64_t syncs = 0;    // that they took
  uint64_t seals = 0;    // since open()
  uint64_t overlay_rows = 0;
  // What open() found behind the last whole commit and cut, or nothing.
  std::optional<journal::JournalReport> repaired;
  // Why updates are refused until the graph is opened again, or nothing.
  std::optional<Error> broken;
};

class LiveGraph {
 public:
  // `environment` must outlive the graph and its snapshots. Errors: those of Graph::open;
  // kUnavailable with reason=locked and fact holder if another process writes to it; kCorrupt with
  // the line for a journal that is damaged before its end; kUnsupported for writing to a URL.
  static Result<std::unique_ptr<LiveGraph>> open(Environment& environment,
                                                 const std::string& target,
                                                 const LiveOptions& options);
  // As close(), its answer ignored.
  virtual ~LiveGraph() = default;

  // The newest acknowledged state. Never waits.
  virtual std::shared_ptr<Snapshot> snapshot() = 0;

  // Runs a SPARQL Update request. Errors: kInvalid with line and column; kUnsupported; kDenied for
  // a read-only graph; kConflict (if_tag); kLimit; kCancelled; kUnavailable if it could not be made
  // durable and is not there; kRecoveryRequired if that cannot be told.
  virtual Result<UpdateReceipt> update(std::string_view text, const UpdateOptions& options) = 0;
  // Errors: as update().
  virtual Result<UpdateReceipt> load(const LoadRequest& request, const UpdateOptions& options) = 0;
  // Makes `graph` ("" is the default graph, else an IRI) empty. Errors: kNotFound if a named graph
  // is not there; as update().
  virtual Result<UpdateReceipt> drop(const std::string& graph, const UpdateOptions& options) = 0;

  // Turns the journal into a segment. Updates and queries go on meanwhile. Errors: kUnsupported for
  // a single segment.
  virtual Result<SealReceipt> seal_as(const SealRequest& request) = 0;
  Result<SealReceipt> seal(std::stop_token stop) {
    return seal_as(SealRequest{.dry_run = false, .folder = {}, .stop = std::move(stop)});
  }
  // Seals, then turns the log into one segment. Updates and queries go on meanwhile.
  virtual Result<SealReceipt> compact(std::stop_token stop) = 0;
  // Does what the policy says is due, if anything: call it now and then (every second, say) from
  // one thread. Also looks for changes of other processes.
  virtual Status maintain(std::stop_token stop) = 0;
  // Takes over what other processes have added or compacted since. Done by each update, too.
  virtual Status refresh() = 0;

  // Never waits: while an update is at work, what was so before it.
  virtual LiveFacts facts() = 0;
  // Waits for running updates, syncs, lets go of the writer lock. Updates afterwards are
  // kUnavailable; snapshots stay good.
  virtual Status close() = 0;
};

}  // namespace weft::engine
