// Where the objects that a manifest names are: rete's rules (docs/formats/manifest.md, "URLs"), and
// the names of segments that weft writes beside it. No I/O.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/manifest/document.h"
#include "weft/storage/object_store.h"

namespace weft::manifest {

// Opens what a manifest names. The engine implements it over local files and HTTP. Thread-safe.
class ObjectOpener {
 public:
  virtual ~ObjectOpener() = default;
  // `address` is a local path or an http(s) URL, as resolve() makes it. Errors: kNotFound names it;
  // kDenied; kUnavailable.
  virtual Result<std::unique_ptr<storage::ObjectReader>> open(const std::string& address) = 0;
  // The same of an object that others append to: as long as it is now, not an error when it grows.
  virtual Result<std::unique_ptr<storage::ObjectReader>> open_growing(const std::string& address) {
    return open(address);
  }
  // A hint: these will be opened soon, so that what is far away may be fetched side by side. Never
  // waits.
  virtual void prefetch(const std::vector<std::string>& /*addresses*/) {}
};

// True for http:// and https:// (lower case only, as in rete).
bool is_remote(std::string_view address);

// The address of `url` for a manifest at `manifest_address` (a path or URL): an http(s) URL stays
// as it is; an absolute path replaces; all else is joined to the manifest's own directory. No
// normalisation, no percent-decoding; beside a manifest at a URL, characters that a URL cannot hold
// are percent-encoded.
std::string resolve(std::string_view manifest_address, std::string_view url);

// The URL to store for a local file so that resolve() finds it again: relative to the manifest's
// directory where that is possible by text alone. Both paths must be absolute and free of "." and
// ".." components.
std::string relative_url(std::string_view manifest_directory, std::string_view path);

// The name of a graph whose manifest is called `file_name`, as rete takes it: without ".json", then
// without ".rete-manifest", each as often as it occurs at the end.
std::string default_name(std::string_view file_name);

// "{name}-g{generation}-{first 8 hex digits of hash}.rete". Errors: kInvalid if `name` could leave
// the directory: a '/', a '\\', or a control character.
Result<std::string> segment_name(std::string_view name, uint64_t generation,
                                 const codec::Digest16& hash, Role role);

}  // namespace weft::manifest
