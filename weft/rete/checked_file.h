// The bytes of one `.rete` file, checked against block digests where the file has them. What the
// digests do not cover (header, root, card region) is read with read_raw and checked by its own
// digest.
//
// Thread-safe once its digests are set.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "weft/base/executor.h"
#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/codec/blake3.h"
#include "weft/storage/object_store.h"

namespace weft::rete {

// Where the digests lie and what they cover; all places absolute.
struct DigestPlan {
  storage::Range section;  // the whole section 9
  codec::Digest16 section_digest{};
  storage::Range front;  // covered region
  storage::Range data;   // covered region
};

class CheckedFile {
 public:
  // `executor` hashes blocks side by side; may be null. `beginning` are the first bytes of the
  // file, read already.
  CheckedFile(std::unique_ptr<storage::ObjectReader> reader, storage::Buffer beginning,
              base::Executor* executor);

  // Before the first read. Errors: kCorrupt if the section's size does not fit the regions.
  Status use_digests(const DigestPlan& plan);
  bool has_digests() const { return plan_.has_value(); }

  const std::string& name() const { return reader_->name(); }
  uint64_t size() const { return reader_->size(); }
  bool is_remote() const { return reader_->is_remote(); }
  std::string identity() const { return reader_->identity(); }

  // All ranges in one round, unchecked.
  Result<std::vector<storage::Buffer>> read_raw(std::span<const storage::Range> ranges,
                                                std::stop_token stop);
  // All ranges in one round (the digests with the first one), each byte checked if the file has
  // digests. Neighbours are fetched as one range. Errors: kCorrupt, kInternal if a range leaves the
  // covered regions.
  Result<std::vector<storage::Buffer>> read(std::span<const storage::Range> ranges,
                                            std::stop_token stop);
  Result<storage::Buffer> read_one(storage::Range range, std::stop_token stop = {});

 private:
  // A range to fetch and, if it is to be checked, the digest blocks it consists of.
  struct Fetch {
    storage::Range range;
    uint64_t block_begin = 0;
    uint64_t block_end = 0;  // == block_begin: nothing to check
  };

  storage::Range block_range(uint64_t block) const;
  bool is_verified(uint64_t block) const;
  Result<Fetch> plan_fetch(storage::Range range) const;
  Status take_digests(const storage::Buffer& section);
  Status check_blocks(std::span<const Fetch> fetches, std::span<const storage::Buffer> buffers,
                      std::stop_token stop);
  Result<std::vector<storage::Buffer>> fetch(std::span<const storage::Range> ranges,
                                             std::stop_token stop);

  std::unique_ptr<storage::ObjectReader> reader_;
  storage::Buffer beginning_;
  base::Executor* executor_;
  std::optional<DigestPlan> plan_;
  uint64_t front_blocks_ = 0;
  uint64_t block_count_ = 0;
  // One bit per block that was found right. Of local files only: a network may damage a block the
  // second time.
  std::vector<std::atomic<uint64_t>> verified_;
  base::Mutex mutex_;
  std::atomic<bool> has_digest_bytes_ = false;
  storage::Buffer digest_bytes_;  // written once under mutex_, read after has_digest_bytes_
};

}  // namespace weft::rete
