#include "weft/journal/rewriter.h"

#include <utility>

#include "weft/base/bytes.h"
#include "weft/codec/blake3.h"

namespace weft::journal {

Status Rewriter::change(bool insert, const rdf::QuadView& quad) {
  append_line(lines_, insert, quad);
  return next_.change(insert, quad);
}

Status Rewriter::begin_commit(const CommitMark& mark, uint64_t offset) {
  flush();
  return next_.begin_commit(mark, offset);
}

Status Rewriter::end_commit() {
  flush();
  return next_.end_commit();
}

std::string Rewriter::take_text() {
  flush();
  return std::move(text_);
}

void Rewriter::flush() {
  if (!lines_.empty()) {
    text_ += mark_line(make_mark(id_, ++sequence_, lines_)) + lines_;
    lines_.clear();
  }
}

std::string short_hash(std::string_view text) {
  constexpr size_t kOctets = 4;
  const codec::Digest16 digest = codec::blake3_16(as_bytes(text));
  return codec::to_hex(ByteView(digest).first(kOctets));
}

}  // namespace weft::journal
