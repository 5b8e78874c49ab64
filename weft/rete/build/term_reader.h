// Reads terms back from a dictionary that was just written, by rank or id. Cheap if ids ascend.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/rete/build/numbering.h"

namespace weft::rete::build {

// Not thread-safe. The section must outlive it. Views last until the next call.
class SectionReader {
 public:
  SectionReader(const DictionarySection& section, uint32_t restart_interval, bool is_compressed);
  // The term of this rank, 1 … term_count.
  Result<std::string_view> at(uint64_t rank);

 private:
  Status load_chunk(size_t chunk);
  Status step();

  const DictionarySection* section_;
  uint32_t restart_interval_;
  bool is_compressed_;
  std::vector<uint64_t> chunk_offsets_;
  size_t chunk_ = SIZE_MAX;
  std::string raw_;
  size_t at_ = 0;
  uint64_t rank_ = 0;  // of text_; 0: none yet
  std::string text_;
};

// By subject id or object id.
class RoleReader {
 public:
  RoleReader(const Dictionary& dictionary, DictSection own, uint32_t restart_interval,
             bool is_compressed)
      : shared_count_(dictionary.count(DictSection::kShared)),
        shared_(dictionary.at(DictSection::kShared), restart_interval, is_compressed),
        own_(dictionary.at(own), restart_interval, is_compressed) {}
  Result<std::string_view> at(uint32_t id) {
    return id <= shared_count_ ? shared_.at(id) : own_.at(id - shared_count_);
  }

 private:
  uint32_t shared_count_;
  SectionReader shared_;
  SectionReader own_;
};

}  // namespace weft::rete::build
