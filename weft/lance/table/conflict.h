// What a writer that lost the race for a version may do: the format's conflict rules as a pure
// function of two operations. Format: docs/formats/lance.md, "Conflicts".
//
// C1  An operation that is not known conflicts with everything, whoever's it is.
// C2  Where the format allows to merge changes of one fragment, the answer is kRetry: doing the
// work
//     again upon the newest version is always right.
// C3  An upsert is never carried over rows that may hold its keys: appends, unfiltered updates, and
//     updates whose key filter shares a key.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/lance/table/transaction.h"

namespace weft::lance {

enum class Verdict : uint8_t {
  kCompatible,  // the same operation may be staged upon theirs
  kRetry,       // recompute from theirs
  kFail,        // report to the caller
};

struct Judgement {
  Verdict verdict = Verdict::kCompatible;
  std::string_view reason;  // of kRetry and kFail
};

Judgement judge(const Operation& ours, const Operation& theirs);

}  // namespace weft::lance
