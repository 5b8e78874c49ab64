#include "weft/rete/block_loader.h"

#include <utility>

#include "weft/codec/compression.h"
#include "weft/rete/damage.h"

namespace weft::rete {
namespace {

using storage::Range;

Error at_place(Error error, const std::string& file, std::string_view section, uint64_t offset) {
  if (error.kind() != ErrorKind::kCorrupt) {
    return error;
  }
  Error placed = damage(error.message(), file, section, offset);
  for (const Error::Fact& fact : error.facts()) {
    placed.add(fact.key, fact.value);
  }
  return placed;
}

}  // namespace

Result<std::string> decompress(Codec codec, ByteView stored, uint64_t raw_max_bytes) {
  if (codec == Codec::kNone) {
    if (stored.size() > raw_max_bytes) {
      return Error(ErrorKind::kCorrupt, "damaged block").with("reason", "longer than recorded");
    }
    return to_text(stored);
  }
  std::string raw;
  Status status = codec::zstd_decompress(stored, raw_max_bytes, raw);
  if (status.ok()) {
    return raw;
  }
  if (status.error().kind() == ErrorKind::kLimit) {
    return Error(ErrorKind::kCorrupt, "damaged block").with("reason", "longer than recorded");
  }
  return std::move(status).error();
}

Result<BlockLoader::Blocks> BlockLoader::load(std::span<const BlockRequest> requests,
                                              const Decode& decode, bool keep,
                                              const std::stop_token& stop) {
  Blocks blocks(requests.size());
  std::vector<size_t> missing;
  std::vector<Range> wanted;
  for (size_t i = 0; i < requests.size(); ++i) {
    blocks[i] = cache_.find(key_of(requests[i]));
    if (blocks[i] == nullptr) {
      missing.push_back(i);
      wanted.push_back(requests[i].stored);
    }
  }
  if (missing.empty()) {
    return blocks;
  }
  WEFT_TRY(const std::vector<storage::Buffer> stored, file_.read(wanted, stop));
  decoded_count_.fetch_add(missing.size(), std::memory_order_relaxed);
  const auto make = [&](size_t index) -> Status {
    const size_t i = missing[index];
    Result<std::shared_ptr<const CachedBlock>> block = decode(i, stored[index].view());
    if (!block.ok()) {
      return at_place(std::move(block).error(), file_.name(), requests[i].source.section,
                      requests[i].stored.offset);
    }
    blocks[i] = std::move(block).value();
    if (keep) {
      blocks[i] = cache_.insert(key_of(requests[i]), blocks[i]);
    }
    return ok_status();
  };
  if (missing.size() == 1 || executor_.width() == 1) {
    for (size_t index = 0; index < missing.size(); ++index) {
      WEFT_TRY_STATUS(make(index));
    }
    return blocks;
  }
  WEFT_TRY_STATUS(executor_.for_each(missing.size(), make, stop));
  return blocks;
}

}  // namespace weft::rete
