// libcurl, loaded when the first URL is opened: with all that it stands on it is half of the shared
// libraries, and most runs of the program never open a URL (docs/decisions/0003-start-up.md).
#pragma once

#include <curl/curl.h>

#include "weft/base/result.h"

namespace weft::remote {

// The functions that this layer calls, under their own names without "curl_".
struct CurlLibrary {
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_multi_setopt) multi_setopt = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_perform) multi_perform = nullptr;
  decltype(&::curl_multi_poll) multi_poll = nullptr;
  decltype(&::curl_multi_wakeup) multi_wakeup = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;
};

// Loads it once per process and starts it. Thread-safe. Errors: kUnsupported if it is not installed
// or too old, kInternal if it cannot start.
Status load_libcurl();

// Only after load_libcurl() succeeded.
const CurlLibrary& libcurl();

}  // namespace weft::remote
