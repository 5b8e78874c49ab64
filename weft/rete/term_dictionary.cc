#include "weft/rete/term_dictionary.h"

#include <algorithm>
#include <utility>

namespace weft::rete {
namespace {

// At most this many leaves are in memory for one call.
constexpr size_t kLeavesAtOnce = 256;
// Chunks hold about 64 KiB, but a long literal makes a long chunk.
constexpr uint64_t kStoredBytesAtOnce = uint64_t{32} << 20U;

std::vector<size_t> sorted_order(size_t count, const std::function<bool(size_t, size_t)>& less) {
  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i) {
    order[i] = i;
  }
  bool is_sorted = true;
  for (size_t i = 1; i < count && is_sorted; ++i) {
    is_sorted = !less(i, i - 1);
  }
  if (!is_sorted) {
    std::sort(order.begin(), order.end(), less);
  }
  return order;
}

}  // namespace

Result<std::vector<std::shared_ptr<const DictLeaf>>> TermDictionary::leaves(
    std::span<const LeafPlace> places, const std::stop_token& stop) const {
  std::vector<std::shared_ptr<const DictLeaf>> result(places.size());
  std::vector<BlockRequest> requests;
  std::vector<size_t> missing;
  for (size_t i = 0; i < places.size(); ++i) {
    const DictLeafRef& ref = directory(places[i].section).leaves[places[i].leaf];
    if (ref.kept != nullptr) {
      result[i] = ref.kept;
      continue;
    }
    missing.push_back(i);
    requests.push_back({.source = {.type = BlockType::kDictLeaf,
                                   .owner = static_cast<uint8_t>(places[i].section),
                                   .section = "dict-leaves"},
                        .stored = ref.stored});
  }
  if (requests.empty()) {
    return result;
  }
  const auto decode = [&](size_t index,
                          ByteView stored) -> Result<std::shared_ptr<const CachedBlock>> {
    const LeafPlace place = places[missing[index]];
    WEFT_TRY(const std::string raw,
             decompress(parameters_.leaf_codec, stored, parameters_.leaf_raw_bytes_max));
    WEFT_TRY(std::shared_ptr<const CachedBlock> block,
             DictLeaf::from_raw(raw, directory(place.section), place.leaf));
    return block;
  };
  WEFT_TRY(const BlockLoader::Blocks blocks, loader_->load(requests, decode, true, stop));
  for (size_t i = 0; i < missing.size(); ++i) {
    result[missing[i]] = std::static_pointer_cast<const DictLeaf>(blocks[i]);
  }
  return result;
}

Result<std::vector<std::shared_ptr<const Chunk>>> TermDictionary::chunks(
    std::span<const ChunkRequest> requests, bool keep, const std::stop_token& stop) const {
  std::vector<BlockRequest> places;
  places.reserve(requests.size());
  for (const ChunkRequest& request : requests) {
    const DictLeaf::Entry& entry = (*request.leaf)[request.chunk];
    places.push_back({.source = {.type = BlockType::kChunk,
                                 .owner = static_cast<uint8_t>(request.section),
                                 .section = "dict"},
                      .stored = {entry.offset, entry.stored_size}});
  }
  const auto decode = [&](size_t index,
                          ByteView stored) -> Result<std::shared_ptr<const CachedBlock>> {
    const ChunkRequest& request = requests[index];
    WEFT_TRY(std::string raw,
             decompress(parameters_.chunk_codec, stored, parameters_.chunk_raw_bytes_max));
    WEFT_TRY(std::shared_ptr<const CachedBlock> block,
             Chunk::from_raw(std::move(raw),
                             request.leaf->place(directory(request.section), request.chunk)));
    return block;
  };
  WEFT_TRY(const BlockLoader::Blocks blocks, loader_->load(places, decode, keep, stop));
  std::vector<std::shared_ptr<const Chunk>> result;
  result.reserve(blocks.size());
  for (const std::shared_ptr<const CachedBlock>& block : blocks) {
    result.push_back(std::static_pointer_cast<const Chunk>(block));
  }
  return result;
}

template <typename Locate, typename ChunkIn, typename Answer>
Status TermDictionary::by_chunk(size_t count, const Locate& locate, const ChunkIn& chunk_in,
                                const Answer& answer, const std::stop_token& stop) const {
  size_t done = 0;
  while (done < count) {
    // Leaves of as many items as fit.
    std::vector<LeafPlace> places;
    size_t end = done;
    for (; end < count; ++end) {
      const LeafPlace place = locate(end);
      if (places.empty() || places.back() != place) {
        if (places.size() == kLeavesAtOnce) {
          break;
        }
        places.push_back(place);
      }
    }
    WEFT_TRY(const auto leaf_blocks, leaves(places, stop));
    size_t leaf = 0;
    while (done < end) {
      // Chunks of as many of these items as fit.
      std::vector<ChunkRequest> requests;
      std::vector<size_t> starts;
      uint64_t stored_bytes = 0;
      size_t last = done;
      for (; last < end; ++last) {
        while (places[leaf] != locate(last)) {
          ++leaf;
        }
        const size_t chunk = chunk_in(last, *leaf_blocks[leaf]);
        if (requests.empty() || requests.back().leaf != leaf_blocks[leaf] ||
            requests.back().chunk != chunk) {
          if (requests.size() == kChunksAtOnce || stored_bytes > kStoredBytesAtOnce) {
            break;
          }
          stored_bytes += (*leaf_blocks[leaf])[chunk].stored_size;
          requests.push_back(
              {.section = places[leaf].section, .leaf = leaf_blocks[leaf], .chunk = chunk});
          starts.push_back(last);
        }
      }
      starts.push_back(last);
      WEFT_TRY(const auto chunk_blocks, chunks(requests, true, stop));
      for (size_t i = 0; i < chunk_blocks.size(); ++i) {
        WEFT_TRY_STATUS(answer(starts[i], starts[i + 1], *chunk_blocks[i]));
      }
      done = last;
    }
  }
  return ok_status();
}

Status TermDictionary::find(std::span<TermProbe> probes, const std::stop_token& stop) const {
  const std::vector<size_t> order = sorted_order(probes.size(), [&](size_t a, size_t b) {
    return probes[a].section != probes[b].section ? probes[a].section < probes[b].section
                                                  : probes[a].token < probes[b].token;
  });
  // Sections without terms have no leaf: their probes stay absent.
  std::vector<size_t> items;
  items.reserve(order.size());
  for (const size_t i : order) {
    if (term_count(probes[i].section) > 0) {
      items.push_back(i);
    }
  }
  const auto locate = [&](size_t i) {
    const TermProbe& probe = probes[items[i]];
    return LeafPlace{probe.section, directory(probe.section).leaf_of(probe.token)};
  };
  const auto chunk_in = [&](size_t i, const DictLeaf& leaf) {
    return leaf.chunk_of(probes[items[i]].token);
  };
  const auto answer = [&](size_t first, size_t last, const Chunk& chunk) -> Status {
    for (size_t i = first; i < last; ++i) {
      TermProbe& probe = probes[items[i]];
      probe.index = chunk.find(probe.token).value_or(TermProbe::kAbsent);
    }
    return ok_status();
  };
  return by_chunk(items.size(), locate, chunk_in, answer, stop);
}

Status TermDictionary::tokens(std::span<const TermPlace> places, TokenTable& tokens,
                              const std::stop_token& stop) const {
  for (const TermPlace& place : places) {
    if (place.index >= term_count(place.section)) {
      return Error(ErrorKind::kInternal, "no such term in the dictionary")
          .with("file", loader_->file().name())
          .with("index", place.index);
    }
  }
  const auto less = [&](size_t a, size_t b) {
    return places[a].section != places[b].section ? places[a].section < places[b].section
                                                  : places[a].index < places[b].index;
  };
  const std::vector<size_t> order = sorted_order(places.size(), less);
  const bool in_order = std::is_sorted(order.begin(), order.end());
  // Otherwise collect in the order of the dictionary, then copy into the order asked.
  TokenTable collected;
  TokenTable& out = in_order ? tokens : collected;
  const auto locate = [&](size_t i) {
    const TermPlace& place = places[order[i]];
    return LeafPlace{place.section, directory(place.section).leaf_of(place.index)};
  };
  const auto chunk_in = [&](size_t i, const DictLeaf& leaf) {
    const TermPlace& place = places[order[i]];
    return leaf.chunk_of_run(place.index / directory(place.section).run_terms);
  };
  const auto answer = [&](size_t first, size_t last, const Chunk& chunk) -> Status {
    ChunkCursor cursor(chunk);
    for (size_t i = first; i < last; ++i) {
      out.add(cursor.term(places[order[i]].index));
    }
    return ok_status();
  };
  WEFT_TRY_STATUS(by_chunk(places.size(), locate, chunk_in, answer, stop));
  if (!in_order) {
    std::vector<size_t> rank(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      rank[order[i]] = i;
    }
    tokens.reserve(tokens.size() + places.size(), tokens.text_bytes() + collected.text_bytes());
    for (const size_t i : rank) {
      tokens.add(collected[i]);
    }
  }
  return ok_status();
}

namespace {

// `first` is the index of the chunk's first term in its section.
Status visit_chunk(const Chunk& chunk, uint64_t first, const TermDictionary::Visit& visit) {
  ChunkCursor cursor(chunk);
  const uint64_t end = first + chunk.term_count();
  for (uint64_t index = first; index < end; ++index) {
    WEFT_TRY_STATUS(visit(index, cursor.term(index)));
  }
  return ok_status();
}

}  // namespace

Status TermDictionary::for_each(DictSection section, const Visit& visit,
                                const std::stop_token& stop) const {
  const DictDirectory& terms = directory(section);
  uint64_t index = 0;
  for (size_t i = 0; i < terms.leaves.size(); ++i) {
    const LeafPlace place{section, i};
    WEFT_TRY(const auto leaf, leaves({&place, 1}, stop));
    for (size_t first = 0; first < leaf[0]->size(); first += kChunksAtOnce / 4) {
      std::vector<ChunkRequest> requests;
      const size_t last = std::min(leaf[0]->size(), first + kChunksAtOnce / 4);
      for (size_t chunk = first; chunk < last; ++chunk) {
        requests.push_back({.section = section, .leaf = leaf[0], .chunk = chunk});
      }
      WEFT_TRY(const auto blocks, chunks(requests, false, stop));
      for (const std::shared_ptr<const Chunk>& block : blocks) {
        if (stop.stop_requested()) {
          return Error(ErrorKind::kCancelled, "reading the dictionary was cancelled");
        }
        WEFT_TRY_STATUS(visit_chunk(*block, index, visit));
        index += block->term_count();
      }
    }
  }
  return ok_status();
}

}  // namespace weft::rete
