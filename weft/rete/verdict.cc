#include "weft/rete/verdict.h"

#include <map>
#include <utility>

#include "weft/base/mutex.h"
#include "weft/codec/varint.h"

namespace weft::rete {
namespace {

// One entry: magic, kind, identity, content hash, payload, then the digest of all that.
constexpr std::string_view kEntryMagic = "weft verdict 1\n";
constexpr uint64_t kEntryBytesMax = uint64_t{64} << 20U;

std::string entry_head(const VerdictKey& key, VerdictKind kind) {
  std::string head(kEntryMagic);
  head.push_back(static_cast<char>(kind));
  codec::append_length_prefixed(head, key.identity);
  head.append(as_text(key.content_hash));
  return head;
}

std::string entry_name(const VerdictKey& key, VerdictKind kind) {
  return codec::to_hex(codec::blake3_16(as_bytes(entry_head(key, kind)))) + ".verdict";
}

class StoredVerdicts final : public VerdictStore {
 public:
  explicit StoredVerdicts(std::shared_ptr<storage::ObjectStore> store) : store_(std::move(store)) {}

  std::optional<std::string> load(const VerdictKey& key, VerdictKind kind) override {
    const Result<storage::VersionedObject> object =
        store_->get(entry_name(key, kind), kEntryBytesMax);
    if (!object.ok()) {
      return std::nullopt;
    }
    const std::string_view text = as_text(object->bytes.view());
    const std::string head = entry_head(key, kind);
    constexpr size_t kDigestBytes = sizeof(codec::Digest16);
    if (text.size() < head.size() + kDigestBytes || !text.starts_with(head)) {
      return std::nullopt;
    }
    const std::string_view covered = text.substr(0, text.size() - kDigestBytes);
    if (as_text(codec::blake3_16(as_bytes(covered))) != text.substr(covered.size())) {
      return std::nullopt;
    }
    return std::string(covered.substr(head.size()));
  }

  void save(const VerdictKey& key, VerdictKind kind, std::string_view payload) override {
    std::string entry = entry_head(key, kind);
    entry.append(payload);
    const codec::Digest16 digest = codec::blake3_16(as_bytes(entry));
    entry.append(as_text(digest));
    const std::string name = entry_name(key, kind);
    const Result<storage::PutOutcome> outcome = store_->put_if_absent(name, as_bytes(entry));
    if (!outcome.ok() || *outcome == storage::PutOutcome::kDone || load(key, kind).has_value()) {
      return;
    }
    // What stands there is damaged: make room. If that fails, nothing is remembered.
    if (store_->remove(name).ok()) {
      static_cast<void>(store_->put_if_absent(name, as_bytes(entry)));
    }
  }

 private:
  std::shared_ptr<storage::ObjectStore> store_;
};

class RememberedVerdicts final : public VerdictStore {
 public:
  std::optional<std::string> load(const VerdictKey& key, VerdictKind kind) override {
    const base::MutexLock lock(mutex_);
    const auto entry = entries_.find(entry_head(key, kind));
    return entry == entries_.end() ? std::nullopt : std::optional<std::string>(entry->second);
  }

  void save(const VerdictKey& key, VerdictKind kind, std::string_view payload) override {
    const base::MutexLock lock(mutex_);
    entries_.insert_or_assign(entry_head(key, kind), std::string(payload));
  }

 private:
  base::Mutex mutex_;
  std::map<std::string, std::string> entries_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace

std::shared_ptr<VerdictStore> verdict_store(std::shared_ptr<storage::ObjectStore> store) {
  return std::make_shared<StoredVerdicts>(std::move(store));
}

std::shared_ptr<VerdictStore> verdict_memory() {
  return std::make_shared<RememberedVerdicts>();
}

std::string verdict_folder(std::string_view xdg_cache_home, std::string_view home) {
  if (xdg_cache_home.starts_with('/')) {
    return std::string(xdg_cache_home) + "/weft/verdicts";
  }
  return home.starts_with('/') ? std::string(home) + "/.cache/weft/verdicts" : std::string();
}

}  // namespace weft::rete
