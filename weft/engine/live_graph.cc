#include "weft/engine/live_graph.h"

#include <array>
#include <climits>
#include <cstdlib>
#include <utility>

#include <unistd.h>

#include "weft/engine/live_store.h"
#include "weft/rete/format.h"
#include "weft/storage/local_store.h"

namespace weft::engine {
namespace {

// Of seals, compactions and large documents, beside the memory of queries and overlays.
constexpr uint64_t kBuildMemoryBytes = uint64_t{128} << 20U;

struct SplitPath {
  std::string folder;
  std::string leaf;
};

SplitPath split_path(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return {".", path};
  }
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Result<std::string> absolute_folder(const std::string& folder) {
  std::array<char, PATH_MAX> resolved{};
  if (::realpath(folder.c_str(), resolved.data()) == nullptr) {
    return Error(ErrorKind::kNotFound, "cannot find a folder").with("folder", folder);
  }
  return std::string(resolved.data());
}

// What a live graph over the local disk borrows.
struct LocalParts {
  std::unique_ptr<manifest::ObjectOpener> opener;
  std::unique_ptr<storage::ObjectStore> store;
  std::unique_ptr<storage::ObjectStore> journal_store;
  std::unique_ptr<storage::ScratchSpace> scratch;
  base::Random random = base::Random::from_system();
};

Result<bool> is_manifest(Environment& environment, const std::string& target) {
  WEFT_TRY(const auto reader, environment.open_object(target));
  if (reader->size() < rete::kMagic.size()) {
    return true;
  }
  WEFT_TRY(const storage::Buffer head, reader->read({.offset = 0, .size = rete::kMagic.size()}));
  return as_text(head.view()) != rete::kMagic;
}

}  // namespace

Result<std::unique_ptr<LiveGraph>> LiveGraph::open(Environment& environment,
                                                   const std::string& target,
                                                   const LiveOptions& options) {
  if (is_url(target)) {
    return Error(ErrorKind::kUnsupported, "a graph at a URL can be read, not written")
        .with("graph", target);
  }
  WEFT_TRY(const bool manifest, is_manifest(environment, target));
  const SplitPath split = split_path(target);
  const std::string journal_path = options.journal_path.value_or(target + ".changes");
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
                  .is_manifest = manifest,
                  .journal_store = *parts->journal_store,
                  .journal_name = journal.leaf,
                  .journal_address = journal_path,
                  .query_budget = environment.query_budget(),
                  .owner = parts};
  return LiveStore::open(std::move(place), named);
}

}  // namespace weft::engine
