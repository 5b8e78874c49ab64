#include "weft/catalog/fork.h"

#include <bit>
#include <cstring>
#include <utility>

#include "weft/base/check.h"
#include "weft/codec/blake3.h"
#include "weft/lance/table/names.h"
#include "weft/lance/table/refs.h"

namespace weft::catalog {
namespace {

// The time at which the branch was made, for whoever writes something of it.
class ForkClock final : public base::Clock {
 public:
  explicit ForkClock(base::WallTime time) : time_(time) {}
  base::WallTime now() const override { return time_; }
  int64_t monotonic_microseconds() const override { return 0; }
  void sleep_microseconds(int64_t /*duration*/) const override {}

 private:
  base::WallTime time_;
};

uint64_t seed_of(const std::string& text) {
  const auto digest = codec::blake3_16(as_bytes(text));
  uint64_t seed = 0;
  std::memcpy(&seed, &digest, sizeof(seed));
  return std::endian::native == std::endian::big ? std::byteswap(seed) : seed;
}

}  // namespace

Result<Fork> beginning_of(const lance::Snapshot& version, const std::string& name,
                          base::WallTime time) {
  ForkClock clock(time);
  base::Random random(seed_of(name + "/" + version.location().root));
  lance::StageOptions options;
  options.clock = &clock;
  options.random = &random;
  WEFT_TRY(const lance::StagedTransaction branch, lance::stage_branch(version, name, options));
  const std::string life = lance::hex_text(random.next()) + lance::hex_text(random.next());
  WEFT_TRY(lance::StagedObject ref, lance::stage_branch_ref(version, branch, life, options));
  WEFT_TRY(lance::Snapshot snapshot, branch.snapshot());
  // Put under the barrier of what is staged upon it.
  snapshot.set_durable();
  Fork fork{.snapshot = std::move(snapshot), .objects = branch.objects};
  fork.objects.emplace_back(branch.head_name, branch.head);
  fork.objects.push_back(std::move(ref));
  return fork;
}

Result<Fork> fork_of(const CatalogPlace& place, const lance::Snapshot& version) {
  WEFT_CHECK(!place.life.empty() && version.location().branch != place.life);
  return beginning_of(version, place.life, place.forked_at);
}

}  // namespace weft::catalog
