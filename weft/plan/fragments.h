// Which parts of a plan several threads may do side by side.
//
// A *fragment* is a scan and the operators above it that handle each of its rows for itself:
// filters, computed values, probes of hash joins, index joins, merge joins with another scan. Its
// rows are cut at places of the scan, workers run their own copies of the operators, and what they
// make is handed on in the order of the scan (exec/parallel/team.h).
//
// F1  A fragment hands on the rows that it would on one thread; batch by batch they may come in
//     another order unless `keeps_order`.
// F2  Nothing in a fragment answers differently the second time (RAND, UUID, BNODE), nor asks a
//     service.
#pragma once

#include "weft/plan/plan.h"

namespace weft::plan {

// A scan of fewer rows (estimated) is not worth the threads: a few milliseconds on one.
inline constexpr double kSharedRowsMin = 65'536;

// Marks the tops of fragments whose scan has at least `rows_min` rows, and the groups, sorts and
// DISTINCTs above them that workers do too. After mark_early_stops(): what a LIMIT stops early is
// left alone.
void mark_fragments(Plan& plan, double rows_min);

}  // namespace weft::plan
