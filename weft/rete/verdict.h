// What was found out about a file of others by reading all of it once, remembered in the user's
// cache folder so that the next process need not. Only good news is remembered: a damaged file is
// read again each time. An entry holds for one state of one file (ObjectReader::identity()) and one
// content hash; entries that are damaged, foreign or of another version count as absent.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "weft/base/bytes.h"
#include "weft/codec/blake3.h"
#include "weft/storage/object_store.h"

namespace weft::rete {

struct VerdictKey {
  std::string identity;  // not empty
  codec::Digest16 content_hash{};
};

enum class VerdictKind : uint8_t {
  kIntact,          // the hash over all bytes is right; the payload is empty
  kIrregularTerms,  // payload: the list (segment.h), in its own encoding
};

// Thread-safe. Several processes may use one folder.
class VerdictStore {
 public:
  virtual ~VerdictStore() = default;
  // The payload that was remembered.
  virtual std::optional<std::string> load(const VerdictKey& key, VerdictKind kind) = 0;
  // Best effort: what cannot be written is not remembered.
  virtual void save(const VerdictKey& key, VerdictKind kind, std::string_view payload) = 0;
};

// Over any store, one object per entry, no other objects touched; typically the folder named below.
// A store that cannot be read or written only forgets.
std::shared_ptr<VerdictStore> verdict_store(std::shared_ptr<storage::ObjectStore> store);
// Within the process.
std::shared_ptr<VerdictStore> verdict_memory();
// Where verdicts of this user belong, given the values of the environment variables XDG_CACHE_HOME
// and HOME: $XDG_CACHE_HOME/weft/verdicts or $HOME/.cache/weft/verdicts, or "" if neither is an
// absolute path.
std::string verdict_folder(std::string_view xdg_cache_home, std::string_view home);

}  // namespace weft::rete
