// One request of Transfers with its attempts: what libcurl calls back, and what an attempt's end
// means.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "weft/remote/curl_library.h"
#include "weft/remote/transfers.h"

namespace weft::remote {

struct CurlDeleter {
  void operator()(CURL* handle) const { libcurl().easy_cleanup(handle); }
  void operator()(curl_slist* list) const { libcurl().slist_free_all(list); }
};

// `state`, `outcome` and `round` belong to the lock of Transfers; the rest to the thread that
// drives, until the state is kEnded.
struct Transfer {
  enum class State : uint8_t { kQueued, kActive, kEnded, kDropped };

  Request request;
  State state = State::kQueued;
  uint64_t round = 0;
  uint32_t attempts = 0;
  // Not to be sent before; by the monotonic clock.
  int64_t due_microseconds = 0;
  // Where the time of all attempts ends; nothing: nowhere.
  std::optional<int64_t> deadline_microseconds;
  std::optional<Result<Answer>> outcome;

  std::unique_ptr<CURL, CurlDeleter> handle;
  std::unique_ptr<curl_slist, CurlDeleter> headers;
  Answer answer;
  std::optional<uint64_t> retry_after_ms;
  char error_text[CURL_ERROR_SIZE] = {};

  // Makes the handle of the next attempt. Errors: kInternal.
  Status prepare(const HttpOptions& options, int64_t now_microseconds);
  // The attempt ended with `code`. True: try again (the reason is in `outcome`, for the case that
  // it was the last one). False: `outcome` is final.
  bool finish(CURLcode code);

 private:
  void prepare_question();
  static size_t on_header(char* data, size_t unit, size_t count, void* transfer);
  static size_t on_body(char* data, size_t unit, size_t count, void* transfer);
  void take_header(std::string_view line);
  uint64_t body_bytes_max() const;
  Error failure(ErrorKind kind, std::string_view message) const;
};

}  // namespace weft::remote
