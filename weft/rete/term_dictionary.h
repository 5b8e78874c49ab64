// Looks terms up in the dictionary of one segment, by text and by place, many at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rete/block_loader.h"
#include "weft/rete/dict_directory.h"
#include "weft/rete/token_table.h"

namespace weft::rete {

struct TermDictionaryParameters {
  Codec chunk_codec = Codec::kNone;
  Codec leaf_codec = Codec::kNone;
  uint64_t chunk_raw_bytes_max = 0;
  uint64_t leaf_raw_bytes_max = 0;
};

// A place in one section; indexes count from 0.
struct TermPlace {
  DictSection section = DictSection::kShared;
  uint64_t index = 0;
};

struct TermProbe {
  static constexpr uint64_t kAbsent = ~uint64_t{0};
  DictSection section = DictSection::kShared;
  std::string_view token;
  uint64_t index = kAbsent;  // the answer
};

// Thread-safe. The loader must outlive it.
class TermDictionary {
 public:
  // At most this many chunks are in memory for one call.
  static constexpr size_t kChunksAtOnce = 64;

  // `directories`: one per section, in index order.
  TermDictionary(BlockLoader& loader, std::vector<DictDirectory> directories,
                 const TermDictionaryParameters& parameters)
      : loader_(&loader), directories_(std::move(directories)), parameters_(parameters) {}

  uint64_t term_count(DictSection section) const { return directory(section).term_count; }
  const DictDirectory& directory(DictSection section) const {
    return directories_[static_cast<size_t>(section)];
  }

  // Answers all probes: one read for leaves, one for chunks (more beyond kChunksAtOnce chunks).
  Status find(std::span<TermProbe> probes, const std::stop_token& stop) const;
  // Appends the tokens in the order of `places`, which must be valid (kInternal).
  Status tokens(std::span<const TermPlace> places, TokenTable& tokens,
                const std::stop_token& stop) const;
  // Every term of a section in order; nothing enters the cache. The view is valid during the call.
  using Visit = std::function<Status(uint64_t index, std::string_view token)>;
  Status for_each(DictSection section, const Visit& visit, const std::stop_token& stop) const;

  // The leaf `index` of each section named, in one read.
  struct LeafPlace {
    DictSection section = DictSection::kShared;
    size_t leaf = 0;
    friend auto operator<=>(const LeafPlace&, const LeafPlace&) = default;
  };
  Result<std::vector<std::shared_ptr<const DictLeaf>>> leaves(std::span<const LeafPlace> places,
                                                              const std::stop_token& stop) const;

 private:
  struct ChunkRequest {
    DictSection section = DictSection::kShared;
    std::shared_ptr<const DictLeaf> leaf;
    size_t chunk = 0;  // within the leaf
  };
  Result<std::vector<std::shared_ptr<const Chunk>>> chunks(std::span<const ChunkRequest> requests,
                                                           bool keep,
                                                           const std::stop_token& stop) const;
  // Calls `answer(first, last, chunk)` for each group of items that one chunk answers; items are
  // ordered so that those of one chunk are neighbours. `locate(i)` gives an item's section and
  // leaf, `chunk_in(i, leaf)` its chunk.
  template <typename Locate, typename ChunkIn, typename Answer>
  Status by_chunk(size_t count, const Locate& locate, const ChunkIn& chunk_in, const Answer& answer,
                  const std::stop_token& stop) const;

  BlockLoader* loader_;
  std::vector<DictDirectory> directories_;
  TermDictionaryParameters parameters_;
};

}  // namespace weft::rete
