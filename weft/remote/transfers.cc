#include "weft/remote/transfers.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "weft/base/clock.h"
#include "weft/base/mutex.h"
#include "weft/base/random.h"
#include "weft/remote/transfer.h"

namespace weft::remote {
namespace {

constexpr int64_t kPollMicroseconds = 100'000;

struct MultiDeleter {
  void operator()(CURLM* multi) const { libcurl().multi_cleanup(multi); }
};

class CurlTransfers final : public Transfers {
 public:
  CurlTransfers(const HttpOptions& options, CURLM* multi) : options_(options), multi_(multi) {
    const auto most = static_cast<long>(options_.requests_in_flight_max);
    libcurl().multi_setopt(multi_.get(), CURLMOPT_MAX_HOST_CONNECTIONS, most);
    libcurl().multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, most);
  }
  CurlTransfers(const CurlTransfers&) = delete;
  CurlTransfers& operator=(const CurlTransfers&) = delete;
  ~CurlTransfers() override {
    for (const TransferHandle& transfer : active_) {
      libcurl().multi_remove_handle(multi_.get(), transfer->handle.get());
      transfer->handle.reset();
    }
  }

  TransferHandle submit(Request request) override {
    auto transfer = std::make_shared<Transfer>();
    transfer->request = std::move(request);
    if (const uint64_t timeout_ms = transfer->request.timeout_ms; timeout_ms > 0) {
      transfer->deadline_microseconds =
          clock_.monotonic_microseconds() + static_cast<int64_t>(timeout_ms) * 1'000;
    }
    const base::MutexLock lock(mutex_);
    transfer->round = counters_.rounds + 1;
    queue_.push_back(transfer);
    libcurl().multi_wakeup(multi_.get());
    return transfer;
  }

  Status wait(const std::vector<TransferHandle>& transfers, const std::stop_token& stop) override {
    const std::stop_callback on_stop(stop, [this] {
      const base::MutexLock lock(mutex_);
      libcurl().multi_wakeup(multi_.get());
      ended_.notify_all();
    });
    const base::MutexLock lock(mutex_);
    while (!std::ranges::all_of(transfers, has_ended)) {
      if (stop.stop_requested()) {
        drop_locked(transfers);
        return Error(ErrorKind::kCancelled, "stopped on request");
      }
      if (driving_) {
        ended_.wait(mutex_);
      } else {
        drive();
        // Who waits for one that ended goes on; if nobody drives now, one of them will.
        ended_.notify_all();
      }
    }
    ended_.notify_all();
    return ok_status();
  }

  void drop(const std::vector<TransferHandle>& transfers) override {
    const base::MutexLock lock(mutex_);
    drop_locked(transfers);
  }

  Result<Answer> take(const TransferHandle& transfer) override {
    const base::MutexLock lock(mutex_);
    WEFT_CHECK(transfer->state == Transfer::State::kEnded);
    std::optional<Result<Answer>> outcome = std::exchange(transfer->outcome, std::nullopt);
    WEFT_CHECK(outcome.has_value());
    return std::move(*outcome);
  }

  HttpCounters counters() const override {
    const base::MutexLock lock(mutex_);
    return counters_;
  }

 private:
  static bool has_ended(const TransferHandle& transfer) {
    return transfer->state == Transfer::State::kEnded;
  }

  void drop_locked(const std::vector<TransferHandle>& transfers) WEFT_REQUIRES(mutex_) {
    for (const TransferHandle& transfer : transfers) {
      if (transfer->state != Transfer::State::kEnded) {
        transfer->state = Transfer::State::kDropped;
      }
    }
    libcurl().multi_wakeup(multi_.get());
  }

  // One step of all that is under way. Only one thread at a time does this; the lock is not held
  // while libcurl works.
  void drive() WEFT_REQUIRES(mutex_) {
    driving_ = true;
    const int64_t pause = start_and_drop();
    mutex_.unlock();
    int running = 0;
    libcurl().multi_perform(multi_.get(), &running);
    std::vector<std::pair<Transfer*, CURLcode>> ended;
    collect(ended);
    if (ended.empty()) {
      libcurl().multi_poll(multi_.get(), nullptr, 0, static_cast<int>(pause / 1'000), nullptr);
      libcurl().multi_perform(multi_.get(), &running);
      collect(ended);
    }
    mutex_.lock();
    for (const auto& [transfer, code] : ended) {
      settle(transfer, code);
    }
    driving_ = false;
  }

  void collect(std::vector<std::pair<Transfer*, CURLcode>>& ended) {
    int left = 0;
    while (const CURLMsg* message = libcurl().multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) {
        continue;
      }
      char* transfer = nullptr;
      CURL* handle = message->easy_handle;
      const CURLcode code = message->data.result;
      libcurl().easy_getinfo(handle, CURLINFO_PRIVATE, &transfer);
      libcurl().multi_remove_handle(multi_.get(), handle);
      ended.emplace_back(reinterpret_cast<Transfer*>(transfer), code);
    }
  }

  // Takes away what was dropped and starts what is due. Returns how long to wait at most.
  int64_t start_and_drop() WEFT_REQUIRES(mutex_) {
    std::erase_if(active_, [&](const TransferHandle& transfer) {
      if (transfer->state != Transfer::State::kDropped) {
        return false;
      }
      libcurl().multi_remove_handle(multi_.get(), transfer->handle.get());
      transfer->handle.reset();
      return true;
    });
    int64_t pause = kPollMicroseconds;
    const int64_t now = clock_.monotonic_microseconds();
    std::deque<TransferHandle> later;
    for (TransferHandle& transfer : queue_) {
      if (transfer->state == Transfer::State::kDropped) {
        continue;
      }
      const bool is_due = transfer->due_microseconds <= now;
      if (!is_due) {
        pause = std::min(pause, transfer->due_microseconds - now + 1'000);
      }
      if (is_due && active_.size() < options_.requests_in_flight_max) {
        start(std::move(transfer));
      } else {
        later.push_back(std::move(transfer));
      }
    }
    queue_ = std::move(later);
    return pause;
  }

  void start(TransferHandle transfer) WEFT_REQUIRES(mutex_) {
    ++transfer->attempts;
    Status prepared = transfer->prepare(options_, clock_.monotonic_microseconds());
    if (prepared.ok() &&
        libcurl().multi_add_handle(multi_.get(), transfer->handle.get()) != CURLM_OK) {
      prepared = Error(ErrorKind::kInternal, "the HTTP library takes no request");
    }
    if (!prepared.ok()) {
      transfer->outcome = std::move(prepared).error();
      transfer->state = Transfer::State::kEnded;
      return;
    }
    ++counters_.requests;
    counters_.retries += transfer->attempts > 1 ? 1 : 0;
    transfer->state = Transfer::State::kActive;
    active_.push_back(std::move(transfer));
  }

  void settle(Transfer* ended, CURLcode code) WEFT_REQUIRES(mutex_) {
    const auto at = std::ranges::find(active_, ended, &TransferHandle::get);
    WEFT_CHECK(at != active_.end());
    TransferHandle transfer = std::move(*at);
    active_.erase(at);
    counters_.bytes += transfer->answer.body.size();
    counters_.rounds = std::max(counters_.rounds, transfer->round);
    const bool again = transfer->finish(code);
    if (transfer->state == Transfer::State::kDropped) {
      return;
    }
    const int64_t due = clock_.monotonic_microseconds() + backoff_microseconds(*transfer);
    const bool too_late = due >= transfer->deadline_microseconds.value_or(INT64_MAX);
    if (!again || too_late || transfer->attempts >= options_.attempts_max) {
      transfer->state = Transfer::State::kEnded;
      return;
    }
    transfer->state = Transfer::State::kQueued;
    transfer->due_microseconds = due;
    ++transfer->round;
    queue_.push_back(std::move(transfer));
  }

  int64_t backoff_microseconds(const Transfer& transfer) WEFT_REQUIRES(mutex_) {
    const uint32_t doublings = std::min(transfer.attempts - 1, 20U);
    uint64_t pause = std::min(options_.backoff_ms << doublings, options_.backoff_max_ms) * 1'000;
    pause = pause / 2 + random_.below(pause / 2 + 1);
    if (transfer.retry_after_ms) {
      pause = std::max(pause, std::min(*transfer.retry_after_ms, options_.backoff_max_ms) * 1'000);
    }
    return static_cast<int64_t>(pause);
  }

  const HttpOptions options_;
  const base::SystemClock clock_;
  std::unique_ptr<CURLM, MultiDeleter> multi_;
  mutable base::Mutex mutex_;
  base::Condition ended_;
  base::Random random_ WEFT_GUARDED_BY(mutex_) = base::Random::from_system();
  std::deque<TransferHandle> queue_ WEFT_GUARDED_BY(mutex_);
  std::vector<TransferHandle> active_ WEFT_GUARDED_BY(mutex_);
  HttpCounters counters_ WEFT_GUARDED_BY(mutex_);
  bool driving_ WEFT_GUARDED_BY(mutex_) = false;
};

}  // namespace

Result<std::unique_ptr<Transfers>> Transfers::create(const HttpOptions& options) {
  WEFT_TRY_STATUS(load_libcurl());
  CURLM* multi = libcurl().multi_init();
  if (multi == nullptr) {
    return Error(ErrorKind::kInternal, "the HTTP library does not start");
  }
  return std::make_unique<CurlTransfers>(options, multi);
}

}  // namespace weft::remote
