#include "weft/engine/live_graph.h"

#include <utility>

#include <unistd.h>

#include "weft/engine/graph.h"
#include "weft/engine/live_store.h"
#include "weft/engine/local_paths.h"
#include "weft/storage/local_store.h"

namespace weft::engine {
namespace {

// Of seals, compactions and large documents, beside the memory of queries and overlays.
constexpr uint64_t kBuildMemoryBytes = uint64_t{128} << 20U;

// What a live graph over the local disk borrows.
struct LocalParts {
  std::unique_ptr<manifest::ObjectOpener> opener;
  std::unique_ptr<storage::ObjectStore> store;
  std::unique_ptr<storage::ObjectStore> journal_store;
  std::unique_ptr<storage::ScratchSpace> scratch;
  base::Random random = base::Random::from_system();
};

}  // namespace

Result<std::unique_ptr<LiveGraph>> LiveGraph::open(Environment& environment,
                                                   const std::string& target,
                                                   const LiveOptions& options) {
  if (is_url(target)) {
    return Error(ErrorKind::kUnsupported, "a graph at a URL can be read, not written")
        .with("graph", target);
  }
  WEFT_TRY(const auto reader, environment.open_object(target));
  WEFT_TRY(const bool segment, is_segment(*reader));
  const SplitPath split = split_path(target);
  const std::string journal_path = options.journal_path.value_or(journal::journal_of(target));
  const SplitPath journal = split_path(journal_path);
  auto parts = std::make_shared<LocalParts>();
  WEFT_TRY(const std::string folder, absolute_folder(split.folder));
  WEFT_TRY(const std::string journal_folder, absolute_folder(journal.folder));
  WEFT_TRY(const std::string working_folder, absolute_folder("."));
  WEFT_TRY(parts->store, storage::open_local_store(folder));
  WEFT_TRY(parts->journal_store, storage::open_local_store(journal_folder));
  parts->opener = environment.make_opener();
  parts->scratch =
      storage::local_scratch(options.scratch_folder.empty() ? folder : options.scratch_folder);
  LiveOptions named = options;
  named.holder = "pid " + std::to_string(::getpid()) + " (" + options.holder + ")";
  rete::BuildOptions build;
  build.memory_bytes = kBuildMemoryBytes;
  LivePlace place{.graph = {.store = *parts->store,
                            .name = split.leaf,
                            .address = target,
                            .folder = folder,
                            .working_folder = working_folder},
                  .tools = {.opener = *parts->opener,
                            .executor = environment.executor(),
                            .scratch = *parts->scratch,
                            .clock = environment.clock(),
                            .random = parts->random,
                            .fold = environment.fold_resources(),
                            .build = std::move(build),
                            .ingest = {},
                            .retry = {}},
                  .is_manifest = !segment,
                  .journal_store = *parts->journal_store,
                  .journal_name = journal.leaf,
                  .journal_address = journal_path,
                  .query_budget = environment.query_budget(),
                  .owner = parts};
  return LiveStore::open(std::move(place), named);
}

}  // namespace weft::engine
