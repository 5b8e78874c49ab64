// What every command of the program works with: options that all commands share, where output goes,
// threads, stopping. One per run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/result.h"

namespace weft::cli {

struct SharedOptions {
  bool json = false;
  bool quiet = false;
  uint32_t thread_count = 0;  // 0: one per core
  uint64_t memory_mib = 0;    // 0: a quarter of the machine's memory
  bool verify_remote = false;
};

class Session {
 public:
  explicit Session(SharedOptions options);

  const SharedOptions& options() const { return options_; }
  base::Executor& executor() { return *executor_; }
  const base::Clock& clock() const { return clock_; }
  // Requested by the first interrupt (SIGINT, SIGTERM); the second ends the process.
  std::stop_token stop() const;
  uint64_t memory_bytes() const;

  // The result of the command, and nothing else, goes to standard output.
  void print(std::string_view text);
  // One line for the reader on standard error; silent with --quiet.
  void note(std::string_view line);
  // Errors: kUnavailable if standard output could not take everything (a full disk, for example).
  Status flush();

 private:
  SharedOptions options_;
  base::SystemClock clock_;
  std::unique_ptr<base::Executor> executor_;
  bool output_failed_ = false;
};

// What a command line asks for.
using Action = std::function<Status(Session&)>;

// Stops `Session::stop` on SIGINT and SIGTERM. Call once, before threads start.
void install_signal_handlers();

}  // namespace weft::cli
