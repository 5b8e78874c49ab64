#include "weft/rete/build/term_run.h"

#include <algorithm>

#include "weft/codec/varint.h"

namespace weft::rete::build {
namespace {

constexpr size_t kSpillBufferBytes = size_t{1} << 20U;

size_t common_prefix(std::string_view a, std::string_view b) {
  const size_t end = std::min(a.size(), b.size());
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(end), b.begin()).first -
      a.begin());
}

Error damaged_spill() {
  return {ErrorKind::kCorrupt, "scratch file of terms is damaged"};
}

}  // namespace

class MemoryTermCursor final : public TermCursor {
 public:
  explicit MemoryTermCursor(RunTerms& run) : run_(&run) { run.numbers_.resize(run.order_.size()); }
  Result<bool> next() override {
    if (next_ == run_->order_.size()) {
      return false;
    }
    const TokenRef& ref = run_->order_[next_++];
    token_ = run_->interner_.token(ref.offset, ref.length());
    roles_ = ref.roles();
    if (next_ + kAhead < run_->order_.size()) {
      __builtin_prefetch(run_->interner_.arena() + run_->order_[next_ + kAhead].offset);
    }
    return true;
  }
  Status assign(uint32_t number) override {
    run_->numbers_[run_->order_[next_ - 1].id] = number;
    return ok_status();
  }
  Status finish() override { return ok_status(); }

 private:
  static constexpr size_t kAhead = 8;
  RunTerms* run_;
  size_t next_ = 0;
};

// Spilled form: per term varint shared prefix, varint length of the rest << 2 | roles, the rest.
class SpilledTermCursor final : public TermCursor {
 public:
  SpilledTermCursor(RunTerms& run, const SharedScratchFile& terms, SharedScratchFile& numbers,
                    size_t buffer_bytes)
      : run_(&run),
        reader_(terms, run.terms_, buffer_bytes),
        numbers_(numbers, std::max<size_t>(buffer_bytes / 4, 1024)) {}

  Result<bool> next() override {
    if (done_ == run_->term_count_) {
      return false;
    }
    ++done_;
    WEFT_TRY(const uint64_t shared, varint());
    WEFT_TRY(const uint64_t rest, varint());
    if (shared > text_.size()) {
      return damaged_spill();
    }
    WEFT_TRY(const ByteView suffix, reader_.read(rest >> 2U));
    if (suffix.size() != rest >> 2U) {
      return damaged_spill();
    }
    text_.resize(shared);
    text_.append(as_text(suffix));
    token_ = text_;
    roles_ = static_cast<uint8_t>(rest & 3U);
    return true;
  }
  Status assign(uint32_t number) override {
    return numbers_.append(std::as_bytes(std::span<const uint32_t>(&number, 1)));
  }
  Status finish() override {
    WEFT_TRY(run_->numbers_extents_, numbers_.finish());
    return ok_status();
  }

 private:
  Result<uint64_t> varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      WEFT_TRY(const ByteView octet, reader_.read(1));
      if (octet.empty()) {
        break;
      }
      const auto bits = static_cast<uint8_t>(octet[0]);
      value |= static_cast<uint64_t>(bits & 0x7fU) << shift;
      if (bits < 0x80) {
        return value;
      }
    }
    return damaged_spill();
  }

  RunTerms* run_;
  ExtentReader reader_;
  ExtentWriter numbers_;
  std::string text_;
  uint32_t done_ = 0;
};

void RunTerms::sort() {
  term_count_ = interner_.size();
  order_.resize(term_count_);
  size_t count = 0;
  for (const TermInterner::Term& term : interner_.slots()) {
    if (term.id_plus_one != 0) {
      order_[count++] = {.offset = term.offset,
                         .length_and_roles = term.length_and_roles,
                         .id = term.id_plus_one - 1};
    }
  }
  interner_.release_slots();
  sort_tokens(order_.span(), interner_.arena());
}

void RunTerms::compute_rank() {
  numbers_.resize(order_.size());
  for (uint32_t rank = 0; rank < order_.size(); ++rank) {
    numbers_[order_[rank].id] = rank;
  }
}

Status RunTerms::spill(SharedScratchFile& file) {
  ExtentWriter writer(file, kSpillBufferBytes);
  std::string head;
  std::string_view previous;
  for (const TokenRef& ref : order_.span()) {
    const std::string_view token = interner_.token(ref.offset, ref.length());
    const size_t shared = common_prefix(previous, token);
    head.clear();
    codec::append_varint(head, shared);
    codec::append_varint(head, (token.size() - shared) << 2U | ref.roles());
    WEFT_TRY_STATUS(writer.append(as_bytes(head)));
    WEFT_TRY_STATUS(writer.append(as_bytes(token.substr(shared))));
    previous = token;
  }
  WEFT_TRY(terms_, writer.finish());
  spilled_ = true;
  interner_.release();
  order_.release();
  numbers_.release();
  return ok_status();
}

std::unique_ptr<TermCursor> RunTerms::cursor(SharedScratchFile& terms_file,
                                             SharedScratchFile& numbers_file, size_t buffer_bytes) {
  if (spilled_) {
    return std::make_unique<SpilledTermCursor>(*this, terms_file, numbers_file, buffer_bytes);
  }
  return std::make_unique<MemoryTermCursor>(*this);
}

void RunTerms::release_terms() {
  interner_.release();
  order_.release();
}

Status RunTerms::load_numbers(const SharedScratchFile& numbers_file) {
  if (!spilled_) {
    return ok_status();
  }
  numbers_.clear();
  numbers_.resize(term_count_);
  std::span<std::byte> out = std::as_writable_bytes(numbers_.span());
  for (const Extent& extent : numbers_extents_) {
    WEFT_CHECK(extent.bytes <= out.size());
    WEFT_TRY_STATUS(numbers_file.read(extent.offset, out.first(extent.bytes)));
    out = out.subspan(extent.bytes);
  }
  WEFT_CHECK(out.empty());
  return ok_status();
}

void RunTerms::release_numbers() {
  if (spilled_) {
    numbers_.release();
  }
}

Result<bool> TermMerge::advance(size_t cursor) {
  WEFT_TRY(const bool more, cursors_[cursor]->next());
  if (more) {
    heap_.push_back(cursor);
    std::push_heap(heap_.begin(), heap_.end(),
                   [this](size_t a, size_t b) { return comes_later(a, b); });
  }
  return more;
}

Result<bool> TermMerge::next() {
  if (!started_) {
    started_ = true;
    current_.resize(cursors_.size());
    for (size_t i = 0; i < cursors_.size(); ++i) {
      current_[i] = i;
    }
  }
  for (const size_t cursor : current_) {
    WEFT_TRY(const bool more, advance(cursor));
    static_cast<void>(more);
  }
  current_.clear();
  roles_ = 0;
  while (!heap_.empty() && (current_.empty() || cursors_[heap_.front()]->token() == token())) {
    const size_t cursor = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(),
                  [this](size_t a, size_t b) { return comes_later(a, b); });
    heap_.pop_back();
    current_.push_back(cursor);
    roles_ |= cursors_[cursor]->roles();
  }
  return !current_.empty();
}

Status TermMerge::assign(uint32_t number) {
  for (const size_t cursor : current_) {
    WEFT_TRY_STATUS(cursors_[cursor]->assign(number));
  }
  return ok_status();
}

Status TermMerge::finish() {
  for (const auto& cursor : cursors_) {
    WEFT_TRY_STATUS(cursor->finish());
  }
  return ok_status();
}

}  // namespace weft::rete::build
