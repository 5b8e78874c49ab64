// Group commit: writers of one process that wait for one branch share a publication.
//
//     WriteQueue queue;                      // of an open graph (graph/open_graph.h)
//     place.queue = &queue;                  // write() goes through it from now on
//
// One of those that wait leads. It takes all that wait, in the order in which they came, lets each
// prepare upon what the ones before it have staged, in memory, and publishes the whole as one
// version of the catalog: one question, one put, one publication and one put of heads for all.
//
// Q1  Each has a commit of its own: id, operation, actor and message are its own, its parent is the
//     one before it, and the graph as it left it can be read by its id. Keys and values are checked
//     against the group so far: the outcome is that of the same writes one behind the other.
// Q2  Whoever fails is told so and does not touch the others: what it staged is left out. Upon what
//     others have staged it has failed only once that is published; else it starts over.
// Q3  A table gets one version per publication, with one transaction for all that was done.
// Q4  What can be told about one only of the publication as a whole (it was lost too often, the
//     answer is not known) is told to each, with its own operation.
// Q5  Strict work that was lost to others is told so; the rest starts over.
// Q6  Loads and mutations share; whatever else is written alone, beside them.
// Thread-safe. A writer's Prepare may run on the thread of another writer that waits for it.
// Protocol: docs/protocols/write.md, "Group commit".
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/txn/write.h"

namespace weft::txn {

// Writers that share one publication; more wait for the next.
inline constexpr size_t kGroupMax = 64;
// A leader that sees fewer waiting than shared the last publication waits so long for them.
inline constexpr int64_t kGatherUs = 1'000;

class WriteQueue {
 public:
  // As txn::write, for a place that names this queue. Errors: those.
  Result<Receipt> write(const catalog::CatalogPlace& place, const WriteRequest& request,
                        const Prepare& prepare);

  // How many publications were made for how many writers; for tests and statistics.
  struct Counts {
    uint64_t publications = 0;
    uint64_t writers = 0;
  };
  Counts counts() const;

 private:
  struct Waiting;
  struct Branch {
    std::deque<Waiting*> waiting;
    bool is_led = false;
    size_t last_group = 0;
  };
  // Takes the next group off the branch and writes it; with the mutex held but for the writing.
  void lead(Branch& branch, const catalog::CatalogPlace& place) WEFT_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  base::Condition changed_;
  std::map<std::string, Branch> branches_ WEFT_GUARDED_BY(mutex_);  // by life
  Counts counts_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::txn
