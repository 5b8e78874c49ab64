// Several segments -> what one segment of all their quads would be.
#pragma once

#include <memory>
#include <span>
#include <stop_token>

#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/rete/build/segment_builder.h"
#include "weft/rete/segment.h"

namespace weft::quads {

// Changes `options` to what a merge of `segments` has: every permutation and every index (text,
// label) that one of them has, beside what is asked for already; one sink per thread that is of
// use. A text index covers named graphs if one of theirs does, and all predicates.
Status merge_options(std::span<const std::shared_ptr<rete::Segment>> segments,
                     base::Executor& executor, rete::BuildOptions& options);

// Streams all quads of `segments`, as canonical tokens, into `builder`, made with those options.
// Blank nodes meet by label. Memory: the builder's, and a constant per thread. Errors: those of
// reading (kCorrupt names the segment) and of the builder, which is then of no use.
Status merge_into(std::span<const std::shared_ptr<rete::Segment>> segments,
                  base::Executor& executor, rete::SegmentBuilder& builder, std::stop_token stop);

}  // namespace weft::quads
