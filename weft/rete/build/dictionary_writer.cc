#include "weft/rete/build/dictionary_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "weft/codec/varint.h"

namespace weft::rete::build {
namespace {

constexpr uint64_t kPendingBytesPerThread = uint64_t{1} << 20U;

size_t common_prefix(std::string_view a, std::string_view b) {
  const size_t end = std::min(a.size(), b.size());
  size_t at = 0;
  while (at + 8 <= end) {
    uint64_t x = 0;
    uint64_t y = 0;
    std::memcpy(&x, a.data() + at, 8);
    std::memcpy(&y, b.data() + at, 8);
    if (x != y) {
      return at + static_cast<size_t>(std::countr_zero(x ^ y)) / 8;
    }
    at += 8;
  }
  while (at < end && a[at] == b[at]) {
    ++at;
  }
  return at;
}

}  // namespace

Status DictionaryWriter::add(std::string_view token) {
  if (section_->term_count % shape_.restart_interval == 0) {
    WEFT_TRY_STATUS(start_run(token));
    codec::append_varint(chunk_, 0);
    codec::append_varint(chunk_, token.size());
    chunk_.append(token);
    previous_.assign(token);
  } else {
    const size_t shared = common_prefix(previous_, token);
    const std::string_view rest = token.substr(shared);
    codec::append_varint(chunk_, shared);
    codec::append_varint(chunk_, rest.size());
    chunk_.append(rest);
    previous_.resize(shared);
    previous_.append(rest);
  }
  ++section_->term_count;
  section_->literal_count += token.front() == '"' ? 1U : 0U;
  return ok_status();
}

Status DictionaryWriter::start_run(std::string_view token) {
  if (section_->chunks.empty() || chunk_.size() >= shape_.chunk_bytes) {
    std::string key;
    if (!section_->chunks.empty()) {
      key = token.substr(0, common_prefix(previous_, token) + 1);
      WEFT_TRY_STATUS(close_chunk());
    }
    section_->chunks.push_back({.first_run = section_->run_count, .key = std::move(key)});
  }
  ++section_->run_count;
  if (shape_.keep_restarts) {
    std::string offset;
    codec::append_varint(offset, section_->body_bytes + chunk_.size());
    WEFT_TRY_STATUS(section_->restarts.append(as_bytes(offset)));
  }
  return ok_status();
}

Status DictionaryWriter::close_chunk() {
  if (chunk_.size() > UINT32_MAX) {
    return Error(ErrorKind::kLimit, "a dictionary chunk is too long for the format")
        .with("bytes", chunk_.size());
  }
  section_->chunks.back().raw_bytes = chunk_.size();
  section_->body_bytes += chunk_.size();
  pending_bytes_ += chunk_.size();
  pending_.emplace_back().raw.swap(chunk_);
  if (pending_bytes_ >= kPendingBytesPerThread * space_->executor.width()) {
    return flush();
  }
  return ok_status();
}

Status DictionaryWriter::flush() {
  WEFT_TRY_STATUS(space_->executor.for_each(
      pending_.size(),
      [this](size_t index) {
        space_->codec.store(as_bytes(pending_[index].raw), pending_[index].stored);
        std::string().swap(pending_[index].raw);
        return ok_status();
      },
      space_->stop));
  size_t entry = section_->chunks.size() - pending_.size();
  for (const Pending& chunk : pending_) {
    section_->chunks[entry++].stored_bytes = chunk.stored.size();
    WEFT_TRY_STATUS(section_->data.append(as_bytes(chunk.stored)));
  }
  pending_.clear();
  pending_bytes_ = 0;
  return ok_status();
}

Status DictionaryWriter::finish() {
  if (section_->chunks.empty()) {
    return ok_status();
  }
  WEFT_TRY_STATUS(close_chunk());
  return flush();
}

}  // namespace weft::rete::build
