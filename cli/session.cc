#include "cli/session.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

#include <unistd.h>

namespace weft::cli {
namespace {

// Signal handlers can reach nothing but globals.
std::stop_source& stop_source() {
  static std::stop_source source;
  return source;
}

// A handler may not take locks, as request_stop does: a thread waits for the signals instead.
void wait_for_signals(sigset_t signals) {
  int signal = 0;
  if (sigwait(&signals, &signal) == 0) {
    stop_source().request_stop();
  }
  if (sigwait(&signals, &signal) == 0) {
    _exit(128 + signal);
  }
}

uint64_t machine_memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0
             ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes)
             : uint64_t{1} << 30U;
}

}  // namespace

void install_signal_handlers() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(wait_for_signals, signals).detach();
}

Session::Session(SharedOptions options) : options_(options) {
  const size_t width = options.thread_count != 0 ? options.thread_count : base::hardware_width();
  executor_ = std::make_unique<base::ThreadPool>(width);
}

std::stop_token Session::stop() const {
  return stop_source().get_token();
}

uint64_t Session::memory_bytes() const {
  return options_.memory_mib != 0 ? options_.memory_mib << 20U
                                  : std::max<uint64_t>(machine_memory_bytes() / 4, 64U << 20U);
}

void Session::print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    output_failed_ = true;
  }
}

void Session::note(std::string_view line) {
  if (!options_.quiet) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  }
}

Status Session::flush() {
  if (std::fflush(stdout) != 0 || output_failed_) {
    return Error(ErrorKind::kUnavailable, "cannot write standard output");
  }
  return ok_status();
}

}  // namespace weft::cli
