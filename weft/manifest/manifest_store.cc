#include "weft/manifest/manifest_store.h"

#include <algorithm>
#include <utility>

#include "weft/base/bytes.h"

namespace weft::manifest {
namespace {

// rete removes the manifest before it renames the next one into place; a reader may meet the gap.
constexpr int kGapAttempts = 5;
constexpr int64_t kGapPauseMicroseconds = 10'000;
constexpr int64_t kMicrosecondsPerMs = 1'000;

Result<Manifest> parse_named(std::string_view text, std::string_view name) {
  Result<Manifest> manifest = Manifest::parse(text);
  if (!manifest.ok()) {
    Error error = std::move(manifest).error();
    error.add("manifest", name);
    return error;
  }
  return manifest;
}

// What is about to be written must read back as itself: checked before, not only after.
Result<std::string> checked_text(const Manifest& manifest) {
  std::string text = manifest.text();
  if (text.size() > kManifestSizeMaxBytes) {
    return Error(ErrorKind::kLimit,
                 "manifest: the log has become too long; `weft manifest compact`")
        .with("size_bytes", text.size())
        .with("size_max_bytes", kManifestSizeMaxBytes);
  }
  WEFT_TRY(const Manifest again, Manifest::parse(text));
  WEFT_CHECK(again.generation() == manifest.generation() && again.log() == manifest.log());
  return text;
}

}  // namespace

ManifestStore::ManifestStore(storage::ObjectStore& store, std::string name,
                             const base::Clock& clock)
    : store_(store), name_(std::move(name)), clock_(clock) {}

Result<LoadedManifest> ManifestStore::load_once() const {
  WEFT_TRY(storage::VersionedObject object, store_.get(name_, kManifestSizeMaxBytes));
  LoadedManifest loaded;
  WEFT_TRY(loaded.manifest, parse_named(as_text(object.bytes.view()), name_));
  loaded.etag = std::move(object.etag);
  return loaded;
}

Result<LoadedManifest> ManifestStore::load() const {
  const std::string temporary = name_ + ".tmp";
  for (int attempt = 1;; ++attempt) {
    Result<LoadedManifest> loaded = load_once();
    if (loaded.ok() || loaded.error().kind() != ErrorKind::kNotFound) {
      return loaded;
    }
    const Result<storage::VersionedObject> left = store_.get(temporary, kManifestSizeMaxBytes);
    if (!left.ok()) {
      return loaded;
    }
    if (attempt == kGapAttempts) {
      Error error = std::move(loaded).error();
      error.add("found_instead", temporary);
      error.add("remedy", "rete was stopped while it replaced the manifest: rename that file");
      return error;
    }
    clock_.sleep_microseconds(kGapPauseMicroseconds);
  }
}

Status ManifestStore::create(const Manifest& first) {
  WEFT_TRY(const std::string text, checked_text(first));
  WEFT_TRY(const storage::PutOutcome outcome, store_.put_if_absent(name_, as_bytes(text)));
  if (outcome == storage::PutOutcome::kLost) {
    return Error(ErrorKind::kAlreadyExists,
                 "the manifest already exists; `add` appends to an existing manifest")
        .with("manifest", name_);
  }
  return ok_status();
}

Result<storage::PutOutcome> ManifestStore::publish(const LoadedManifest& current,
                                                   const Manifest& next) {
  WEFT_CHECK(current.manifest.generation() != UINT64_MAX &&
             next.generation() == current.manifest.generation() + 1);
  WEFT_TRY(const std::string text, checked_text(next));
  return store_.put_if_match(name_, as_bytes(text), current.etag);
}

Result<Manifest> ManifestStore::update(const std::function<Status(Manifest&)>& change,
                                       base::Random& random, const RetryPolicy& policy) {
  const int64_t start = clock_.monotonic_microseconds();
  // Without it (a store without locks, or somebody who keeps it too long) the race is run as it is.
  const Result<std::unique_ptr<storage::HeldRight>> turn = store_.hold(
      name_,
      {.holder = {}, .wait_ms = static_cast<uint64_t>(std::max<int64_t>(policy.wait_max_ms, 0))});
  for (uint32_t losses = 0; losses < policy.attempts_max;) {
    WEFT_TRY(const LoadedManifest current, load());
    Manifest next = current.manifest;
    WEFT_TRY_STATUS(change(next));
    WEFT_TRY(const storage::PutOutcome outcome, publish(current, next));
    if (outcome == storage::PutOutcome::kDone) {
      return next;
    }
    ++losses;
    if (clock_.monotonic_microseconds() - start > policy.wait_max_ms * kMicrosecondsPerMs) {
      break;
    }
    const int64_t pause_max = policy.pause_ms * kMicrosecondsPerMs / losses;
    clock_.sleep_microseconds(
        static_cast<int64_t>(random.below(static_cast<uint64_t>(std::max<int64_t>(pause_max, 1)))));
  }
  return Error(ErrorKind::kConflict, "others kept changing the manifest")
      .with("manifest", name_)
      .with("attempts_max", uint64_t{policy.attempts_max})
      .with("wait_max_ms", static_cast<uint64_t>(policy.wait_max_ms));
}

Result<Manifest> read_manifest(storage::ObjectReader& reader) {
  if (reader.size() > kManifestSizeMaxBytes) {
    return Error(ErrorKind::kLimit, "manifest: the document is too large")
        .with("manifest", reader.name())
        .with("size_bytes", reader.size())
        .with("size_max_bytes", kManifestSizeMaxBytes);
  }
  WEFT_TRY(const storage::Buffer bytes, reader.read({.offset = 0, .size = reader.size()}));
  return parse_named(as_text(bytes.view()), reader.name());
}

}  // namespace weft::manifest
