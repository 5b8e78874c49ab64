#include "weft/remote/transfer.h"

#include <algorithm>
#include <charconv>

namespace weft::remote {
namespace {

constexpr uint64_t kDrainedBytesMax = 64 << 10;
// Of the text of an error.
constexpr size_t kMessageBytesMax = 500;

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    if (letter >= 'A' && letter <= 'Z') {
      letter = static_cast<char>(letter + ('a' - 'A'));
    }
  }
  return result;
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

bool is_worth_another_try(long status) {
  return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

bool is_worth_another_try(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return true;
    default:
      return false;
  }
}

ErrorKind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return ErrorKind::kInvalid;
    case CURLE_TOO_MANY_REDIRECTS:
      return ErrorKind::kLimit;
    case CURLE_PEER_FAILED_VERIFICATION:
      return ErrorKind::kDenied;
    default:
      return ErrorKind::kUnavailable;
  }
}

}  // namespace

std::string shown_url(const std::string& url) {
  const size_t begin = url.find("://");
  if (begin == std::string::npos) {
    return url;
  }
  const size_t end = std::min(url.find_first_of("/?#", begin + 3), url.size());
  const size_t at = url.rfind('@', end);
  if (at == std::string::npos || at < begin + 3 || at >= end) {
    return url;
  }
  return url.substr(0, begin + 3) + url.substr(at + 1);
}

Status Transfer::prepare(const HttpOptions& options, int64_t now_microseconds) {
  answer = Answer();
  retry_after_ms.reset();
  error_text[0] = '\0';
  handle.reset(libcurl().easy_init());
  CURL* curl = handle.get();
  if (curl == nullptr) {
    return Error(ErrorKind::kInternal, "the HTTP library gives no handle");
  }
  headers.reset(libcurl().slist_append(nullptr, "Accept-Encoding: identity"));
  if (!request.if_range.empty()) {
    const std::string line = "If-Range: " + request.if_range;
    // The list keeps its address when it grows at the end.
    libcurl().slist_append(headers.get(), line.c_str());
  }
  prepare_question();
  const bool secure = lower(std::string_view(request.url).substr(0, 8)) == "https://";
  libcurl().easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  libcurl().easy_setopt(curl, CURLOPT_PRIVATE, this);
  libcurl().easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  libcurl().easy_setopt(curl, CURLOPT_ERRORBUFFER, error_text);
  libcurl().easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  libcurl().easy_setopt(curl, CURLOPT_USERAGENT, "weft");
  libcurl().easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  // A redirect never leaves the encryption.
  libcurl().easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
  libcurl().easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  libcurl().easy_setopt(curl, CURLOPT_MAXREDIRS, static_cast<long>(options.redirects_max));
  libcurl().easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                        static_cast<long>(options.connect_timeout_ms));
  auto timeout_ms = static_cast<int64_t>(options.request_timeout_ms);
  if (deadline_microseconds.has_value()) {
    const int64_t left_ms = (*deadline_microseconds - now_microseconds) / 1'000;
    timeout_ms = std::min(timeout_ms, std::max<int64_t>(left_ms, 1));
  }
  libcurl().easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ms));
  libcurl().easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  libcurl().easy_setopt(curl, CURLOPT_LOW_SPEED_TIME,
                        static_cast<long>((options.stall_timeout_ms + 999) / 1000));
  libcurl().easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  libcurl().easy_setopt(curl, CURLOPT_HEADERDATA, this);
  libcurl().easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  libcurl().easy_setopt(curl, CURLOPT_WRITEDATA, this);
  if (request.range.size > 0) {
    const std::string range = std::to_string(request.range.offset) + "-" +
                              std::to_string(request.range.offset + request.range.size - 1);
    libcurl().easy_setopt(curl, CURLOPT_RANGE, range.c_str());
  }
  return ok_status();
}

// What a request has that is no plain read of an object.
void Transfer::prepare_question() {
  const auto add = [this](const std::string& line) {
    libcurl().slist_append(headers.get(), line.c_str());
  };
  if (!request.accept.empty()) {
    add("Accept: " + request.accept);
  }
  for (const std::string& field : request.fields) {
    add(field);
  }
  if (request.body.empty()) {
    return;
  }
  add("Content-Type: " + request.content_type);
  add("Expect:");  // do not wait for a 100 Continue
  CURL* curl = handle.get();
  libcurl().easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  libcurl().easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                        static_cast<curl_off_t>(request.body.size()));
  // A redirected question is asked again, not turned into a GET.
  libcurl().easy_setopt(curl, CURLOPT_POSTREDIR, static_cast<long>(CURL_REDIR_POST_ALL));
}

size_t Transfer::on_header(char* data, size_t unit, size_t count, void* transfer) {
  static_cast<Transfer*>(transfer)->take_header({data, unit * count});
  return unit * count;
}

void Transfer::take_header(std::string_view line) {
  if (line.starts_with("HTTP/")) {  // a new answer: the one after a redirect, or after a 1xx
    answer = Answer();
    retry_after_ms.reset();
    const size_t space = line.find(' ');
    answer.status = space == std::string_view::npos
                        ? 0
                        : static_cast<long>(number(line.substr(space + 1, 3)).value_or(0));
    return;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    return;
  }
  const std::string name = lower(trimmed(line.substr(0, colon)));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "content-range") {
    answer.content_range = value;
  } else if (name == "content-encoding") {
    answer.content_encoding = lower(value);
  } else if (name == "etag") {
    answer.etag = value;
  } else if (name == "last-modified") {
    answer.last_modified = value;
  } else if (name == "content-type") {
    answer.content_type = value;
  } else if (name == "content-length") {
    answer.content_length = number(value);
  } else if (name == "retry-after") {
    if (const std::optional<uint64_t> seconds = number(value)) {
      retry_after_ms = std::min<uint64_t>(*seconds, 1'000'000) * 1'000;
    }
  }
}

uint64_t Transfer::body_bytes_max() const {
  if (answer.status == 206) {
    return request.range.size;
  }
  return answer.status == 200 ? request.whole_bytes_max : 0;
}

size_t Transfer::on_body(char* data, size_t unit, size_t count, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  const size_t size = unit * count;
  Answer& answer = self.answer;
  if (answer.status != 200 && answer.status != 206) {
    answer.message.append(data, std::min(size, kMessageBytesMax - answer.message.size()));
    // Let short texts of errors pass, so that the connection can be used again.
    return answer.content_length.value_or(0) <= kDrainedBytesMax ? size : 0;
  }
  const uint64_t most = self.body_bytes_max();
  if (answer.content_length.value_or(0) > most || size > most - answer.body.size()) {
    answer.cut_off = true;
    answer.body.clear();
    return 0;
  }
  if (answer.body.empty() && answer.content_length) {
    answer.body.reserve(*answer.content_length);
  }
  const ByteView bytes = as_bytes({data, size});
  answer.body.insert(answer.body.end(), bytes.begin(), bytes.end());
  return size;
}

Error Transfer::failure(ErrorKind kind, std::string_view message) const {
  return Error(kind, std::string(message))
      .with("url", shown_url(request.url))
      .with("attempts", attempts);
}

bool Transfer::finish(CURLcode code) {
  handle.reset();
  headers.reset();
  const bool cut_by_us = code == CURLE_WRITE_ERROR;
  if (code != CURLE_OK && !cut_by_us) {
    Error error = failure(kind_of(code), "cannot fetch");
    error.add("cause", error_text[0] != '\0' ? error_text : libcurl().easy_strerror(code));
    if (code == CURLE_OPERATION_TIMEDOUT) {
      error.add("reason", "timeout");
    } else if (code == CURLE_TOO_MANY_REDIRECTS) {
      error.add("reason", "redirects_max");
    } else if (code == CURLE_PEER_FAILED_VERIFICATION) {
      error.add("reason", "certificate");
    }
    outcome = std::move(error);
    return is_worth_another_try(code);
  }
  if (is_worth_another_try(answer.status)) {
    Error error = failure(ErrorKind::kUnavailable, "the server cannot answer now")
                      .with("status", static_cast<uint64_t>(answer.status));
    if (!answer.message.empty()) {
      error.add("answer", answer.message);
    }
    outcome = std::move(error);
    return true;
  }
  outcome = std::move(answer);
  answer = Answer();
  return false;
}

}  // namespace weft::remote
