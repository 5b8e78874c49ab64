#include "server/access_log.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "weft/json/value.h"

namespace weft::server {
namespace {

constexpr size_t kErrorBytesMax = 1'000;

void append_text(std::string& line, std::string_view name, std::string_view value) {
  line += ",\"";
  line += name;
  line += "\":";
  json::append_quoted(line, value);
}

void append_number(std::string& line, std::string_view name, uint64_t value) {
  line += ",\"";
  line += name;
  line += "\":" + std::to_string(value);
}

// What comes from the network may be no UTF-8, which JSON must be.
std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c < ' ' || c == '\x7f' ? '?' : c;  // char is signed: beyond ASCII, too
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<AccessLog>> AccessLog::open(const std::string& path,
                                                   const base::Clock& clock) {
  if (path.empty() || path == "-") {
    return std::unique_ptr<AccessLog>(
        new AccessLog(path.empty() ? -1 : STDERR_FILENO, false, clock));
  }
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (descriptor < 0) {
    const ErrorKind kind = errno == EACCES   ? ErrorKind::kDenied
                           : errno == ENOENT ? ErrorKind::kNotFound
                                             : ErrorKind::kUnavailable;
    return Error(kind, "cannot open the access log").with("file", path);
  }
  return std::unique_ptr<AccessLog>(new AccessLog(descriptor, true, clock));
}

AccessLog::~AccessLog() {
  if (owned_) {
    ::close(descriptor_);
  }
}

void AccessLog::append(const std::string& line) const {
  // One call: lines of several threads do not mix. What is not taken is lost.
  const ssize_t ignored = ::write(descriptor_, line.data(), line.size());
  static_cast<void>(ignored);
}

void AccessLog::write(const Handler::Outcome& outcome) {
  if (descriptor_ < 0) {
    return;
  }
  std::string line = "{\"time\":\"" + iso_time(clock_.now().microseconds) + "\"";
  append_text(line, "remote", outcome.remote);
  if (outcome.head != nullptr) {
    append_text(line, "method", printable(outcome.head->method_name));
    append_text(line, "path", printable(outcome.head->path));
    const std::string agent = outcome.head->value("User-Agent");
    if (!agent.empty()) {
      append_text(line, "agent", printable(agent));
    }
  }
  append_number(line, "status", outcome.status);
  append_number(line, "bytes_in", outcome.body_bytes);
  append_number(line, "bytes_out", outcome.sent_bytes);
  append_number(line, "wait_us", static_cast<uint64_t>(outcome.wait_microseconds));
  append_number(line, "total_us", static_cast<uint64_t>(outcome.total_microseconds));
  if (outcome.aborted) {
    line += ",\"aborted\":true";
  }
  if (!outcome.error.empty()) {
    append_text(line, "error", printable(outcome.error.substr(0, kErrorBytesMax)));
  }
  append(line + "}\n");
}

void AccessLog::event(std::string_view what, std::string_view detail) {
  if (descriptor_ < 0) {
    return;
  }
  std::string line = "{\"time\":\"" + iso_time(clock_.now().microseconds) + "\"";
  append_text(line, "event", what);
  append_text(line, "detail", printable(detail));
  append(line + "}\n");
}

}  // namespace weft::server
