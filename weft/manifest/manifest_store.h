// The manifest as a replaceable object: read, create, replace by compare-and-swap.
//
// M1  A manifest is replaced only while it is still the one that was read, byte for byte: a change
//     of any other program in between, rete's too, is noticed and never overwritten.
// M2  A reader finds the manifest at every instant: replacing never removes it first.
// M3  What create() or publish() acknowledged is durable (ObjectStore S2).
// M4  Of writers that change one manifest at once all arrive, one after the other: they queue for a
//     right (for speed and fairness: M1 does not depend on it), and who loses all the same, to a
//     program that does not queue, reads again and repeats.
//
// Thread-safe. Two processes may use one manifest.
#pragma once

#include <functional>
#include <string>

#include "weft/base/clock.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/manifest/document.h"
#include "weft/storage/object_store.h"

namespace weft::manifest {

struct LoadedManifest {
  Manifest manifest;
  storage::Etag etag;
};

struct RetryPolicy {
  uint32_t attempts_max = 100;
  int64_t wait_max_ms = 120'000;
  // The longest pause after a first loss.
  int64_t pause_ms = 20;
};

class ManifestStore {
 public:
  // `store` must outlive this object. `name` is the manifest within the store.
  ManifestStore(storage::ObjectStore& store, std::string name, const base::Clock& clock);

  const std::string& name() const { return name_; }

  // Errors: as Manifest::parse with fact `manifest`; kNotFound (a fact tells of a temporary file of
  // rete that is left beside it); kUnavailable.
  Result<LoadedManifest> load() const;

  // Errors: kAlreadyExists; those of ObjectStore's writes.
  Status create(const Manifest& first);

  // kLost: the manifest is not the one in `current` any more.
  Result<storage::PutOutcome> publish(const LoadedManifest& current, const Manifest& next);

  // Reads the manifest, lets `change` make the next one of it, and publishes that; repeats all of
  // it when the race is lost. `change` sees the manifest it is applied to and may refuse; it must
  // raise the generation by one. Errors: those of `change`; kConflict if the policy's bounds are
  // used up; kRecoveryRequired as ObjectStore.
  Result<Manifest> update(const std::function<Status(Manifest&)>& change, base::Random& random,
                          const RetryPolicy& policy = {});

 private:
  Result<LoadedManifest> load_once() const;

  storage::ObjectStore& store_;
  std::string name_;
  const base::Clock& clock_;
};

// Reads a manifest that is only read (at a URL, say). Errors as ManifestStore::load.
Result<Manifest> read_manifest(storage::ObjectReader& reader);

}  // namespace weft::manifest
