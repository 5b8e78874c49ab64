#include "weft/remote/curl_library.h"

#include <mutex>
#include <string>

#include <dlfcn.h>

namespace weft::remote {
namespace {

constexpr const char* kLibraryName = "libcurl.so.4";

struct LoadedLibrary {
  std::once_flag once;
  CurlLibrary functions;
  Status status;
};

// One per process, as the library itself is.
LoadedLibrary& loaded_library() {
  static LoadedLibrary library;
  return library;
}

template <typename Function>
bool find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool find_all(void* handle, CurlLibrary& curl) {
  return find(handle, "curl_global_init", curl.global_init) &&
         find(handle, "curl_easy_init", curl.easy_init) &&
         find(handle, "curl_easy_cleanup", curl.easy_cleanup) &&
         find(handle, "curl_easy_setopt", curl.easy_setopt) &&
         find(handle, "curl_easy_getinfo", curl.easy_getinfo) &&
         find(handle, "curl_easy_strerror", curl.easy_strerror) &&
         find(handle, "curl_slist_append", curl.slist_append) &&
         find(handle, "curl_slist_free_all", curl.slist_free_all) &&
         find(handle, "curl_multi_init", curl.multi_init) &&
         find(handle, "curl_multi_cleanup", curl.multi_cleanup) &&
         find(handle, "curl_multi_setopt", curl.multi_setopt) &&
         find(handle, "curl_multi_add_handle", curl.multi_add_handle) &&
         find(handle, "curl_multi_remove_handle", curl.multi_remove_handle) &&
         find(handle, "curl_multi_perform", curl.multi_perform) &&
         find(handle, "curl_multi_poll", curl.multi_poll) &&
         find(handle, "curl_multi_wakeup", curl.multi_wakeup) &&
         find(handle, "curl_multi_info_read", curl.multi_info_read);
}

Status load(CurlLibrary& curl) {
  // Never closed: its threads and handlers may outlive any caller.
  void* const handle = dlopen(kLibraryName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr || !find_all(handle, curl)) {
    return Error(ErrorKind::kUnsupported, "URLs need libcurl, which cannot be loaded")
        .with("library", kLibraryName)
        .with("package", "libcurl4");
  }
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return Error(ErrorKind::kInternal, "the HTTP library does not start");
  }
  return ok_status();
}

}  // namespace

Status load_libcurl() {
  LoadedLibrary& library = loaded_library();
  std::call_once(library.once, [&library] { library.status = load(library.functions); });
  return library.status;
}

const CurlLibrary& libcurl() {
  return loaded_library().functions;
}

}  // namespace weft::remote
