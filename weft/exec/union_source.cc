#include "weft/exec/union_source.h"

#include <algorithm>
#include <utility>

#include "weft/exec/union_cursor.h"

namespace weft::exec {
namespace {

using rdf::GraphScope;
using rdf::IdBatch;
using rdf::IdPattern;
using rdf::kNoTerm;
using rdf::Permutation;
using rdf::Position;
using rdf::TermId;

// An order of `source` that has what `pattern` binds in front; `wanted` if it will do.
Permutation order_for(const QuadSource& source, const IdPattern& pattern, Permutation wanted) {
  const auto fits = [&](Permutation permutation) {
    bool open = false;
    for (const Position position : rdf::positions(permutation)) {
      const bool bound = pattern.at(position) != kNoTerm;
      if (open && bound) {
        return false;
      }
      open = open || !bound;
    }
    return source.has_order(permutation);
  };
  if (fits(wanted)) {
    return wanted;
  }
  for (size_t i = 0; i < rdf::kPermutationCount; ++i) {
    if (fits(static_cast<Permutation>(i))) {
      return static_cast<Permutation>(i);
    }
  }
  return wanted;
}

// Gives the columns of `batch` the union's ids. What the pattern binds is known.
Status name_columns(UnionTerms& terms, size_t source, const IdPattern& pattern, IdBatch& batch) {
  const auto name = [&](std::vector<TermId>& column, TermId bound) {
    if (bound != kNoTerm) {
      column.assign(column.size(), bound);
      return ok_status();
    }
    return terms.to_union(source, column);
  };
  WEFT_TRY_STATUS(name(batch.subject, pattern.subject));
  WEFT_TRY_STATUS(name(batch.predicate, pattern.predicate));
  WEFT_TRY_STATUS(name(batch.object, pattern.object));
  return name(batch.graph, kNoTerm);
}

void append_rows(const IdBatch& batch, Permutation permutation, std::vector<UnionRow>& rows) {
  const auto order = rdf::positions(permutation);
  for (size_t r = 0; r < batch.size(); ++r) {
    const std::array<TermId, 3> by_position = {batch.subject[r], batch.predicate[r],
                                               batch.object[r]};
    UnionRow& row = rows.emplace_back();
    row[0] = batch.graph.empty() ? kNoTerm : batch.graph[r];
    for (size_t i = 0; i < 3; ++i) {
      row[i + 1] = by_position[static_cast<size_t>(order[i])];
    }
  }
}

Result<double> size_of(QuadSource& source) {
  WEFT_TRY(const rdf::Cardinality plain, source.cardinality({}));
  IdPattern all;
  all.scope = GraphScope::kAllNamed;
  WEFT_TRY(const rdf::Cardinality named, source.cardinality(all));
  return plain.rows + named.rows;
}

}  // namespace

Result<std::unique_ptr<UnionSource>> UnionSource::create(std::vector<QuadSource*> sources,
                                                         base::MemoryBudget* budget,
                                                         Interrupt interrupt) {
  if (sources.empty() || sources.size() > kUnionSourcesMax) {
    return Error(ErrorKind::kLimit, "too many sources for one union")
        .with("sources", std::to_string(sources.size()))
        .with("union_sources_max", std::to_string(kUnionSourcesMax));
  }
  size_t base = 0;
  double most = -1;
  for (size_t i = 0; i < sources.size(); ++i) {
    WEFT_TRY(const double quads, size_of(*sources[i]));
    if (quads > most) {
      most = quads;
      base = i;
    }
  }
  return std::unique_ptr<UnionSource>(
      new UnionSource(std::move(sources), base, budget, {}, std::move(interrupt)));
}

std::unique_ptr<UnionSource> UnionSource::with(QuadSource& base, QuadSource& beside,
                                               base::MemoryBudget* budget) {
  UnionTermOptions options;
  options.scope_blank_nodes = false;
  options.first_foreign += options.first_foreign / 2;
  return std::unique_ptr<UnionSource>(
      new UnionSource({&base, &beside}, 0, budget, options, Interrupt({}, nullptr, 0)));
}

UnionSource::UnionSource(std::vector<QuadSource*> sources, size_t base, base::MemoryBudget* budget,
                         UnionTermOptions options, Interrupt interrupt)
    : sources_(std::move(sources)),
      base_(base),
      budget_(budget),
      interrupt_(std::move(interrupt)),
      terms_(sources_, base, budget, options) {}

Status UnionSource::translate(size_t source, std::span<const IdPattern> patterns,
                              std::vector<IdPattern>& locals) {
  std::vector<TermId> ids;
  for (const IdPattern& pattern : patterns) {
    ids.insert(ids.end(), {pattern.subject, pattern.predicate, pattern.object, pattern.graph});
  }
  std::vector<TermId> local;
  WEFT_TRY_STATUS(terms_.to_local(source, ids, local));
  locals.clear();
  for (size_t i = 0; i < patterns.size(); ++i) {
    const TermId* const asked = ids.data() + 4 * i;
    const TermId* const named = local.data() + 4 * i;
    const bool all = std::equal(asked, asked + 4, named, [](TermId a, TermId b) {
      return (a == kNoTerm) == (b == kNoTerm);
    });
    if (all) {
      locals.push_back({named[0], named[1], named[2], patterns[i].scope, named[3]});
    }
  }
  return ok_status();
}

Result<std::vector<UnionSource::LocalPattern>> UnionSource::local_patterns(
    const IdPattern& pattern) {
  std::vector<LocalPattern> found;
  std::vector<IdPattern> local;
  for (size_t source = 0; source < sources_.size(); ++source) {
    WEFT_TRY_STATUS(translate(source, {&pattern, 1}, local));
    if (!local.empty()) {
      found.push_back({source, local.front()});
    }
  }
  return found;
}

Result<rdf::Cardinality> UnionSource::cardinality(const IdPattern& pattern) {
  WEFT_TRY(const std::vector<LocalPattern> locals, local_patterns(pattern));
  rdf::Cardinality sum{0, true};
  size_t with_rows = 0;
  for (const LocalPattern& local : locals) {
    WEFT_TRY(const rdf::Cardinality rows, sources_[local.source]->cardinality(local.pattern));
    sum.rows += rows.rows;
    sum.exact = sum.exact && rows.exact;
    with_rows += rows.rows > 0 || !rows.exact ? 1 : 0;
  }
  sum.exact = sum.exact && with_rows <= 1;  // quads of several sources count once
  return sum;
}

Result<double> UnionSource::distinct(const IdPattern& pattern, Position position) {
  WEFT_TRY(const std::vector<LocalPattern> locals, local_patterns(pattern));
  double most = 0;
  double sum = 0;
  for (const LocalPattern& local : locals) {
    WEFT_TRY(const double terms, sources_[local.source]->distinct(local.pattern, position));
    most = std::max(most, terms);
    sum += terms;
  }
  return (most + sum) / 2;
}

bool UnionSource::is_remote() const {
  return std::ranges::any_of(sources_,
                             [](const QuadSource* source) { return source->is_remote(); });
}

bool UnionSource::has_order(Permutation permutation) const {
  return sources_[base_]->has_order(permutation);
}

Status UnionSource::find(std::span<const std::string_view> tokens, std::vector<TermId>& ids) {
  return terms_.find(tokens, ids);
}

Status UnionSource::tokens(std::span<const TermId> ids, std::vector<std::string>& tokens) {
  return terms_.tokens(ids, tokens);
}

Result<std::unique_ptr<QuadCursor>> UnionSource::scan(const IdPattern& pattern,
                                                      Permutation permutation,
                                                      std::stop_token stop) {
  WEFT_TRY(std::vector<LocalPattern> locals, local_patterns(pattern));
  std::unique_ptr<QuadCursor> base;
  const auto of_base = std::find_if(locals.begin(), locals.end(), [&](const LocalPattern& local) {
    return local.source == base_;
  });
  if (of_base != locals.end()) {
    WEFT_TRY(base, sources_[base_]->scan(of_base->pattern, permutation, stop));
    locals.erase(of_base);
    if (locals.empty()) {
      return base;
    }
  }
  GatherRows gather = [this, pattern, permutation, stop = std::move(stop),
                       locals = std::move(locals)](std::vector<UnionRow>& rows,
                                                   MemoryCharge& charge) -> Status {
    IdBatch batch;
    for (const LocalPattern& local : locals) {
      QuadSource& source = *sources_[local.source];
      WEFT_TRY(const auto cursor,
               source.scan(local.pattern, order_for(source, local.pattern, permutation), stop));
      while (true) {
        WEFT_TRY_STATUS(cursor->next(batch));
        if (batch.size() == 0) {
          break;
        }
        WEFT_TRY_STATUS(interrupt_.check());
        WEFT_TRY_STATUS(name_columns(terms_, local.source, pattern, batch));
        const size_t needed = rows.size() + batch.size();
        if (needed > rows.capacity()) {
          const size_t capacity = std::max(needed, rows.capacity() + rows.capacity() / 2);
          WEFT_TRY_STATUS(charge.cover(capacity * sizeof(UnionRow)));
          rows.reserve(capacity);
        }
        append_rows(batch, permutation, rows);
      }
    }
    return ok_status();
  };
  return std::unique_ptr<QuadCursor>(
      std::make_unique<UnionCursor>(pattern, permutation, std::move(base),
                                    terms_.options().first_foreign, std::move(gather), budget_));
}

Status UnionSource::prefetch(std::span<const IdPattern> patterns, Permutation permutation,
                             std::stop_token stop) {
  std::vector<IdPattern> locals;
  for (size_t source = 0; source < sources_.size(); ++source) {
    WEFT_TRY_STATUS(translate(source, patterns, locals));
    if (!locals.empty()) {
      QuadSource& asked = *sources_[source];
      WEFT_TRY_STATUS(asked.prefetch(locals, order_for(asked, locals.front(), permutation), stop));
    }
  }
  return ok_status();
}

Result<std::vector<TermId>> UnionSource::graphs() {
  std::vector<TermId> all;
  for (size_t source = 0; source < sources_.size(); ++source) {
    WEFT_TRY(std::vector<TermId> graphs, sources_[source]->graphs());
    WEFT_TRY_STATUS(terms_.to_union(source, graphs));
    all.insert(all.end(), graphs.begin(), graphs.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace weft::exec
