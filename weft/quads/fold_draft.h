// The changes of one request on top of a state, before they are made: each operation of the request
// sees what those before it did, and nobody else sees any.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "weft/base/result.h"
#include "weft/quads/fold.h"
#include "weft/rdf/quad.h"

namespace weft::quads {

// Not thread-safe. May outlive the state it began from.
class FoldDraft {
 public:
  virtual ~FoldDraft() = default;

  // Quads that the operation at hand deletes and inserts; of a quad that it does both to, the
  // insertion counts. They take effect with apply(). Errors: kLimit.
  virtual Status remove(std::span<const rdf::QuadView> quads) = 0;
  virtual Status insert(std::span<const rdf::QuadView> quads) = 0;
  // Behind those, one after the other: of a quad the last change counts.
  virtual Status change(bool insert, const rdf::QuadView& quad) = 0;
  // Drops what the operation at hand did.
  virtual Status forget() = 0;
  // Ends the operation: state() shows its effects.
  virtual Status apply(std::stop_token stop) = 0;

  // With all operations so far.
  virtual const std::shared_ptr<Fold>& state() const = 0;

  // Quads that the request makes appear and disappear, seen as a whole.
  virtual uint64_t inserted() const = 0;
  virtual uint64_t removed() const = 0;
  // Those as lines of a journal.
  virtual Result<std::string> lines() const = 0;
};

// Quads of a stream, deleted or inserted by the operation at hand. The draft must outlive it.
class RemovingSink final : public rdf::QuadSink {
 public:
  explicit RemovingSink(FoldDraft& draft) : draft_(draft) {}
  Status accept(std::span<const rdf::QuadView> quads) override { return draft_.remove(quads); }

 private:
  FoldDraft& draft_;
};
class InsertingSink final : public rdf::QuadSink {
 public:
  explicit InsertingSink(FoldDraft& draft) : draft_(draft) {}
  Status accept(std::span<const rdf::QuadView> quads) override { return draft_.insert(quads); }

 private:
  FoldDraft& draft_;
};

}  // namespace weft::quads
