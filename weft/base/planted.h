// Mistakes that the write protocol could make, planted to see that the tests would find each. They
// exist only where WEFT_PLANTED_BUGS is defined, which is so for one test program that compiles the
// files with such places once more (tests/simulation): elsewhere planted() is the constant false.
//
//     if (planted(base::Bug::kNoRebase)) { … }
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::base {

enum class Bug : uint8_t {
  kNone,
  kFailAfterTimeout,       // an unclear answer is told as a failure
  kNewIdAfterTimeout,      // … or the write starts over under another id
  kAcknowledgeBlindly,     // a taken number is taken for one's own
  kPublishBeforeStaged,    // the version is created before what it names is there
  kSeenIsDurable,          // what was found in place is not synced before it is built upon
  kReceiptOfUnsynced,      // … or before it is acknowledged
  kHeadFirst,              // heads move before the publication
  kOperationNotLookedFor,  // a repeated operation is done again
  kKeyLookedForOnce,       // a key that somebody else uses meanwhile is not found
  kKeyOfAnyRequest,        // a key answers another request too
  kExpectedHeadOnce,       // the expected head is compared at the first attempt only
  kLateOnADeletedBranch,   // a branch goes on after its last commit
  kCommitTimeOfTheClock,   // a commit is not made younger than its parent
  kOverForeignRows,        // rows of others are built upon
  kSameRowsByCount,        // equal numbers of rows are taken for equal rows
  kNoRebase,               // a pin whose number was taken stays so
  kTakenByNumber,          // … if the newest head is not the one that took it
  kNoGuard,                // what is adopted is not guarded from the cleanup of others
  kForkSkipped,            // a branch writes the table of its parent
  kBothCreateABranch,      // of two that create a branch both are told that they did
  kBranchOfUnsynced,       // a branch begins at a version that may not survive
  kReadTheHead,            // readers read the head instead of the pinned version
  kCheckedOnce,            // a load is checked against the state that it began with only
  kStaleKeyIndex,          // the key index does not get the ids of a commit
  kGroupOperationTwice,    // of two members of a group that are one operation both are done
  kGroupUponBase,          // … or each stands upon what the first one stood upon
  kEarlierPinsForgotten,   // a cleanup takes what only earlier commits of a version need
  kLifetimeForgotten,      // a write that has slept publishes what a cleanup has taken
  kEndOfUnsynced,          // a cleanup takes a branch whose end may not survive
  kWriteOfUnsyncedRef,     // the first write of a branch whose ref may not survive is acknowledged
  kBranchOfVersion,        // a branch begins with later commits of its parent's version, too
};

inline constexpr auto kBugNames = std::to_array<std::string_view>({
    "none",
    "fail-after-timeout",
    "new-id-after-timeout",
    "acknowledge-blindly",
    "publish-before-staged",
    "seen-is-durable",
    "receipt-of-unsynced",
    "head-first",
    "operation-not-looked-for",
    "key-looked-for-once",
    "key-of-any-request",
    "expected-head-once",
    "late-on-a-deleted-branch",
    "commit-time-of-the-clock",
    "over-foreign-rows",
    "same-rows-by-count",
    "no-rebase",
    "taken-by-number",
    "no-guard",
    "fork-skipped",
    "both-create-a-branch",
    "branch-of-unsynced",
    "read-the-head",
    "checked-once",
    "stale-key-index",
    "group-operation-twice",
    "group-upon-base",
    "earlier-pins-forgotten",
    "lifetime-forgotten",
    "end-of-unsynced",
    "write-of-unsynced-ref",
    "branch-of-version",
});

#ifdef WEFT_PLANTED_BUGS
// Set before a run, by the one test program that has it.
inline constinit Bug planted_bug = Bug::kNone;
inline bool planted(Bug bug) {
  return planted_bug == bug;
}
#else
constexpr bool planted(Bug /*bug*/) {
  return false;
}
#endif

}  // namespace weft::base
