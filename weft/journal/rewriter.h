// Journal text in the journal's own form: every change in a commit.
#pragma once

#include <cstdint>
#include <string>

#include "weft/base/result.h"
#include "weft/journal/journal.h"

namespace weft::journal {

// Writes what is delivered as commits of a new journal: each commit as one, and each stretch of
// lines of other writers as one. Hands everything on.
class Rewriter final : public ChangeSink {
 public:
  // `next` must outlive the rewriter.
  Rewriter(std::string id, ChangeSink& next) : id_(std::move(id)), next_(next) {}

  Status change(bool insert, const rdf::QuadView& quad) override;
  Status begin_commit(const CommitMark& mark, uint64_t offset) override;
  Status end_commit() override;
  uint64_t commit_count() const { return sequence_; }
  std::string take_text();

 private:
  void flush();

  std::string id_;
  ChangeSink& next_;
  std::string lines_;
  std::string text_;
  uint64_t sequence_ = 0;
};

// Takes everything and does nothing.
class NullSink final : public ChangeSink {
 public:
  Status change(bool /*insert*/, const rdf::QuadView& /*quad*/) override { return ok_status(); }
};

// Eight hex digits of a content, for the names of files that are kept aside.
std::string short_hash(std::string_view text);

}  // namespace weft::journal
