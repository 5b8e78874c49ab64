// One line of JSON for each request, appended whole to a file or standard error. A log that cannot
// be written stops nothing.
#pragma once

#include <string>

#include "server/exchange.h"

#include "weft/base/clock.h"
#include "weft/base/result.h"

namespace weft::server {

// Thread-safe.
class AccessLog {
 public:
  // `path`: "-" is standard error, "" is no log. Errors: kDenied, kNotFound, kUnavailable.
  static Result<std::unique_ptr<AccessLog>> open(const std::string& path, const base::Clock& clock);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void write(const Handler::Outcome& outcome);
  // {"time":…,"event":…,"detail":…}
  void event(std::string_view what, std::string_view detail);

 private:
  AccessLog(int descriptor, bool owned, const base::Clock& clock)
      : descriptor_(descriptor), owned_(owned), clock_(clock) {}
  void append(const std::string& line) const;

  int descriptor_;
  bool owned_;
  const base::Clock& clock_;
};

}  // namespace weft::server
