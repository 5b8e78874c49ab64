#include "cli/manifest_target.h"

#include "cli/environment.h"

#include "weft/engine/local_paths.h"
#include "weft/storage/local_store.h"

namespace weft::cli {
struct ManifestTarget::Parts {
  std::unique_ptr<engine::Environment> environment;
  std::unique_ptr<manifest::ObjectOpener> opener;
  std::unique_ptr<storage::ObjectStore> store;
  std::unique_ptr<storage::ScratchSpace> scratch;
  base::Random random = base::Random::from_system();
  std::unique_ptr<ProgressLine> progress;
  std::unique_ptr<quads::GraphLog> log;
};

ManifestTarget::ManifestTarget(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ManifestTarget::~ManifestTarget() = default;
quads::GraphLog& ManifestTarget::log() {
  return *parts_->log;
}

Result<std::unique_ptr<ManifestTarget>> ManifestTarget::open(const std::string& path,
                                                             const SegmentContentOptions& content,
                                                             const quads::IngestOptions& ingest,
                                                             const std::string& scratch_directory,
                                                             Session& session) {
  if (engine::is_url(path)) {
    return Error(ErrorKind::kUnsupported, "a manifest at a URL can be read, not changed")
        .with("manifest", path);
  }
  const engine::SplitPath split = engine::split_path(path);
  if (split.leaf.empty()) {
    return Error(ErrorKind::kInvalid, "not the name of a manifest").with("manifest", path);
  }
  auto parts = std::make_unique<Parts>();
  WEFT_TRY(const std::string folder, engine::absolute_folder(split.folder));
  WEFT_TRY(const std::string working_folder, engine::absolute_folder("."));
  WEFT_TRY(parts->store, storage::open_local_store(folder));
  parts->environment = make_environment(session);
  parts->opener = parts->environment->make_opener();
  parts->scratch = storage::local_scratch(scratch_directory.empty() ? folder : scratch_directory);
  parts->progress = std::make_unique<ProgressLine>(session.clock(), !session.options().quiet);
  WEFT_TRY(rete::BuildOptions build, build_options(content, session, *parts->progress));
  parts->log = std::make_unique<quads::GraphLog>(
      quads::GraphPlace{*parts->store, split.leaf, path, folder, working_folder},
      quads::GraphTools{*parts->opener, session.executor(), *parts->scratch, session.clock(),
                        parts->random, parts->environment->fold_resources(), std::move(build),
                        ingest, manifest::RetryPolicy{}});
  return std::unique_ptr<ManifestTarget>(new ManifestTarget(std::move(parts)));
}

}  // namespace weft::cli
