// Sweeping: what crashes and compactions leave behind.
#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "weft/quads/graph_log.h"
#include "weft/storage/names.h"

namespace weft::quads {
namespace {

constexpr int64_t kMicrosecondsPerMs = 1'000;

bool all_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "{name}-g{digits}-{8 hex}[-{digits}][.tomb].rete": what make_segment makes for this graph.
bool is_made_for(std::string_view name, std::string_view file) {
  const auto drop_suffix = [&file](std::string_view suffix) {
    const bool has = file.ends_with(suffix);
    file.remove_suffix(has ? suffix.size() : 0);
    return has;
  };
  if (!drop_suffix(".rete")) {
    return false;
  }
  drop_suffix(".tomb");
  if (!file.starts_with(name) || !file.substr(name.size()).starts_with("-g")) {
    return false;
  }
  file.remove_prefix(name.size() + 2);
  const size_t dash = std::min(file.find('-'), file.size());
  const std::string_view generation = file.substr(0, dash);
  const std::string_view rest = file.substr(std::min(dash + 1, file.size()));
  const std::string_view hash = rest.substr(0, std::min<size_t>(8, rest.size()));
  const std::string_view number = rest.substr(hash.size());
  return all_digits(generation) && hash.size() == 8 && all_hex(hash) &&
         (number.empty() || (number.starts_with('-') && all_digits(number.substr(1))));
}

std::string base_name(std::string_view url) {
  const size_t slash = url.rfind('/');
  return std::string(slash == std::string_view::npos ? url : url.substr(slash + 1));
}

}  // namespace

// By their last component: a URL that leads elsewhere only keeps a file that might go.
Result<std::vector<std::string>> GraphLog::named_files(
    const std::vector<storage::ObjectInfo>& files) {
  std::vector<std::string> named;
  for (const storage::ObjectInfo& file : files) {
    if (!file.name.ends_with(".json") && file.name != place_.name) {
      continue;
    }
    WEFT_TRY(const storage::VersionedObject object,
             place_.store.get(file.name, manifest::kManifestSizeMaxBytes));
    Result<manifest::Manifest> parsed = manifest::Manifest::parse(as_text(object.bytes.view()));
    if (!parsed.ok()) {
      // Other JSON documents may lie around; one that calls itself a manifest must be understood.
      if (as_text(object.bytes.view()).find("rete_manifest") == std::string_view::npos) {
        continue;
      }
      Error error(
          ErrorKind::kCorrupt,
          "nothing is removed: a manifest in the folder cannot be read, and may name anything");
      error.add("manifest", file.name);
      error.add("cause", parsed.error().to_string());
      return error;
    }
    for (const manifest::LogEntry& entry : parsed->log()) {
      for (const std::optional<manifest::SegmentPin>* pin : {&entry.adds, &entry.dels}) {
        if (pin->has_value()) {
          named.push_back(base_name((*pin)->url));
        }
      }
    }
  }
  return named;
}

Result<GcReport> GraphLog::gc(const GcRequest& request) {
  if (request.grace_ms < 0) {
    return Error(ErrorKind::kInvalid, "the grace period must not be negative");
  }
  // Files first, manifests second: a file that a manifest comes to name in between is either listed
  // and seen to be named, or too young to be listed.
  const int64_t now = tools_.clock.now().microseconds;
  const size_t slash = place_.name.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : place_.name.substr(0, slash + 1);
  WEFT_TRY(std::vector<storage::ObjectInfo> files, place_.store.list(folder, true));
  std::erase_if(files, [&](const storage::ObjectInfo& file) {
    return file.name.find('/', folder.size()) != std::string::npos;
  });
  WEFT_TRY(const manifest::LoadedManifest loaded, manifests_.load());
  WEFT_TRY(const std::vector<std::string> named, named_files(files));
  const std::set<std::string> live(named.begin(), named.end());
  GcReport report;
  for (const storage::ObjectInfo& file : files) {
    const std::string leaf = file.name.substr(folder.size());
    const bool is_temporary = leaf.starts_with(storage::kTemporaryPrefix);
    const bool is_leftover = is_temporary || file.name == place_.name + ".tmp" ||
                             (is_made_for(loaded.manifest.name(), leaf) && !live.contains(leaf));
    if (!is_leftover) {
      continue;
    }
    const int64_t age_ms = (now - file.modified.microseconds) / kMicrosecondsPerMs;
    if (age_ms < request.grace_ms) {
      ++report.young;
      continue;
    }
    GcReport::Leftover leftover{
        .name = file.name, .size_bytes = file.size, .age_ms = age_ms, .removed = false};
    if (!request.dry_run) {
      WEFT_TRY_STATUS(place_.store.remove(file.name));
      leftover.removed = true;
    }
    report.leftovers.push_back(std::move(leftover));
  }
  return report;
}

}  // namespace weft::quads
