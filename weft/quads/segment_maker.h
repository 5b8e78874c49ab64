// Builds a segment and gives it its name, which holds the hash of its content and so is known only
// in the end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/manifest/address.h"
#include "weft/manifest/document.h"
#include "weft/rete/build/segment_builder.h"
#include "weft/storage/object_store.h"
#include "weft/storage/scratch.h"

namespace weft::quads {

// A new object that is kept in a scratch file until its name is known. Publishing it is for
// ScratchWriter's owner.
class ScratchWriter final : public storage::ObjectWriter {
 public:
  static Result<std::unique_ptr<ScratchWriter>> create(storage::ScratchSpace& scratch);

  Status append(ByteView bytes) override;
  Status overwrite(uint64_t offset, ByteView bytes) override;
  uint64_t size() const override { return file_->size(); }
  Result<storage::PutOutcome> publish() override;

  // Writes everything to `out`, which is then ready to be published.
  Status copy_to(storage::ObjectWriter& out) const;

 private:
  struct Patch {
    uint64_t offset = 0;
    Bytes bytes;
  };
  std::unique_ptr<storage::ScratchFile> file_;
  std::vector<Patch> patches_;  // in the order in which they were made
};

// Where a new segment goes.
struct SegmentTarget {
  storage::ObjectStore* store = nullptr;
  // A fixed name; else one is made of what follows.
  std::optional<std::string> file_name;
  std::string graph_name;
  uint64_t generation = 0;
  manifest::Role role = manifest::Role::kAdds;
};

struct MadeSegment {
  std::string file_name;
  uint64_t size_bytes = 0;
  codec::Digest16 hash = {};
  rete::BuildReport report;
};

// Fills a builder by `fill`, and publishes its segment; with `dry_run` only says what it would be.
// Errors: kAlreadyExists if the fixed name is taken; those of `fill` and of building.
Result<MadeSegment> make_segment(const SegmentTarget& target, const rete::BuildOptions& options,
                                 base::Executor& executor, storage::ScratchSpace& scratch,
                                 bool dry_run,
                                 const std::function<Status(rete::SegmentBuilder&)>& fill);

// The second half of it: writes what `builder` has taken.
Result<MadeSegment> publish_segment(const SegmentTarget& target, rete::SegmentBuilder& builder,
                                    storage::ScratchSpace& scratch, bool dry_run);

}  // namespace weft::quads
