#include "weft/exec/graph_result.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "weft/exec/template_reader.h"
#include "weft/exec/token_reader.h"
#include "weft/rdf/term.h"

namespace weft::exec {

using rdf::TermId;

namespace {
// A key of three ids, its hash and its slots, half full.
constexpr uint64_t kBytesPerTriple = 48;
}  // namespace

SeenTriples::SeenTriples(base::MemoryBudget* budget)
    : table_(3, budget), keys_max_(budget->limit_bytes() / 4 / kBytesPerTriple) {}

Status SeenTriples::select_new(std::span<const Column* const> columns, size_t rows,
                               std::vector<uint8_t>& keep) {
  keep.assign(rows, 1);
  size_t next = table_.size();
  full_ = full_ || next + rows > keys_max_;
  if (!full_) {
    const Status inserted = table_.insert(columns, rows, numbers_);
    if (inserted.ok()) {
      for (size_t row = 0; row < rows; ++row) {
        keep[row] = numbers_[row] == next ? 1 : 0;
        next += keep[row];
      }
      return ok_status();
    }
    if (inserted.error().kind() != ErrorKind::kLimit) {
      return inserted;
    }
    full_ = true;  // others need the memory; what was inserted of this batch may come once more
    return ok_status();
  }
  table_.find(columns, rows, numbers_);
  for (size_t row = 0; row < rows; ++row) {
    keep[row] = numbers_[row] == KeyTable::kAbsent ? 1 : 0;
  }
  return ok_status();
}

namespace {

class Constructor {
 public:
  Constructor(const sparql::Query& query, Operator& solutions, Execution& execution,
              rdf::QuadSink& sink)
      : query_(query),
        solutions_(solutions),
        execution_(execution),
        sink_(sink),
        seen_(&execution.budget),
        reader_(solutions.node().columns, execution.labels) {}

  Status run() {
    while (true) {
      WEFT_TRY_STATUS(solutions_.next(batch_));
      if (batch_.empty()) {
        return ok_status();
      }
      WEFT_TRY_STATUS(read_batch());
      WEFT_TRY_STATUS(fill_template());
    }
  }

 private:
  Status read_batch() {
    std::vector<std::string> tokens;
    WEFT_TRY_STATUS(read_tokens(execution_.source, execution_.pool, ids_of(batch_), tokens));
    reader_.begin_batch(batch_, std::move(tokens));
    return ok_status();
  }

  Status fill_template() {
    std::vector<rdf::QuadView> quads;
    std::array<Column, 3> ids;
    std::vector<std::array<std::string, 3>> triples;
    for (size_t row = 0; row < batch_.rows; ++row) {
      reader_.begin_row(row);
      for (const sparql::TripleTemplate& triple : query_.construct_template) {
        WEFT_TRY_STATUS(add_triple(triple, triples, ids));
      }
    }
    const std::array<const Column*, 3> columns = {&ids[0], &ids[1], &ids[2]};
    std::vector<uint8_t> keep;
    WEFT_TRY_STATUS(seen_.select_new(columns, triples.size(), keep));
    for (size_t i = 0; i < triples.size(); ++i) {
      if (keep[i] != 0) {
        quads.push_back({triples[i][0], triples[i][1], triples[i][2], {}});
      }
    }
    return quads.empty() ? ok_status() : sink_.accept(quads);
  }

  Status add_triple(const sparql::TripleTemplate& triple,
                    std::vector<std::array<std::string, 3>>& triples, std::array<Column, 3>& ids) {
    std::array<TemplateReader::Part, 3> parts = {
        reader_.part(triple.subject), reader_.part(triple.predicate), reader_.part(triple.object)};
    if (!TemplateReader::is_triple(parts[0].token, parts[1].token, parts[2].token)) {
      return ok_status();
    }
    std::array<std::string, 3> tokens;
    for (size_t i = 0; i < 3; ++i) {
      if (parts[i].id == rdf::kNoTerm) {
        WEFT_TRY(parts[i].id, constant_id(parts[i].token));
      }
      ids[i].push_back(parts[i].id);
      tokens[i] = std::move(parts[i].token);
    }
    triples.push_back(std::move(tokens));
    return ok_status();
  }

  // An id under which equal triples meet; new blank nodes need none that lasts.
  Result<TermId> constant_id(const std::string& token) {
    if (token.starts_with(execution_.labels.prefix())) {
      return rdf::kFirstComputedTerm - ++fresh_count_;
    }
    for (const auto& [known, id] : constants_) {
      if (known == token) {
        return id;
      }
    }
    WEFT_TRY(const TermId computed, execution_.pool.intern(token));
    Column column = {computed};
    WEFT_TRY_STATUS(execution_.resolve(column));
    if (constants_.size() < kConstantsMax) {
      constants_.emplace_back(token, column[0]);
    }
    return column[0];
  }
  static constexpr size_t kConstantsMax = 64;

  const sparql::Query& query_;
  Operator& solutions_;
  Execution& execution_;
  rdf::QuadSink& sink_;
  SeenTriples seen_;
  RowBatch batch_;
  TemplateReader reader_;
  uint64_t fresh_count_ = 0;
  std::vector<std::pair<std::string, TermId>> constants_;
};

class Describer {
 public:
  Describer(Execution& execution, rdf::QuadSink& sink)
      : execution_(execution), sink_(sink), known_(1, &execution.budget) {}

  Status add(Column resources) {
    std::erase_if(resources, [](TermId id) { return id == rdf::kNoTerm || is_computed(id); });
    Column fresh;
    WEFT_TRY_STATUS(add_new(resources, fresh));
    return fresh.empty() ? ok_status() : describe_all(fresh);
  }

 private:
  // Level by level: blank nodes found go into the next round.
  Status describe_all(Column resources) {
    while (!resources.empty()) {
      WEFT_TRY_STATUS(execution_.interrupt.check());
      std::vector<rdf::IdPattern> patterns(resources.size());
      for (size_t i = 0; i < resources.size(); ++i) {
        patterns[i].subject = resources[i];
      }
      if (patterns.size() > 1) {
        WEFT_TRY_STATUS(execution_.source.prefetch(patterns, rdf::Permutation::kSpo,
                                                   execution_.interrupt.stop()));
      }
      resources.clear();
      for (const rdf::IdPattern& pattern : patterns) {
        WEFT_TRY_STATUS(describe_one(pattern, resources));
      }
    }
    return ok_status();
  }

  Status describe_one(const rdf::IdPattern& pattern, Column& found) {
    WEFT_TRY(const auto cursor,
             execution_.source.scan(pattern, rdf::Permutation::kSpo, execution_.interrupt.stop()));
    std::vector<TermId> ids;
    std::vector<std::string> tokens;
    std::vector<rdf::QuadView> quads;
    for (rdf::IdBatch batch;;) {
      WEFT_TRY_STATUS(execution_.interrupt.check());
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        return ok_status();
      }
      ids.clear();
      tokens.clear();
      quads.clear();
      for (size_t i = 0; i < batch.size(); ++i) {
        ids.insert(ids.end(), {batch.subject[i], batch.predicate[i], batch.object[i]});
      }
      WEFT_TRY_STATUS(read_tokens(execution_.source, execution_.pool, ids, tokens));
      Column blank;
      for (size_t i = 0; i + 2 < tokens.size(); i += 3) {
        quads.push_back({tokens[i], tokens[i + 1], tokens[i + 2], {}});
        if (rdf::kind_of(tokens[i + 2]) == rdf::TermKind::kBlankNode) {
          blank.push_back(ids[i + 2]);
        }
      }
      WEFT_TRY_STATUS(sink_.accept(quads));
      WEFT_TRY_STATUS(add_new(blank, found));
    }
  }

  // Appends those of `resources` that were not seen before.
  Status add_new(const Column& resources, Column& found) {
    std::vector<uint32_t> numbers;
    const Column* keys = &resources;
    size_t next = known_.size();
    WEFT_TRY_STATUS(known_.insert({&keys, 1}, resources.size(), numbers));
    for (size_t i = 0; i < resources.size(); ++i) {
      if (numbers[i] == next) {
        ++next;
        found.push_back(resources[i]);
      }
    }
    return ok_status();
  }

  Execution& execution_;
  rdf::QuadSink& sink_;
  KeyTable known_;
};

}  // namespace

Status construct(const sparql::Query& query, Operator& solutions, Execution& execution,
                 rdf::QuadSink& sink) {
  return Constructor(query, solutions, execution, sink).run();
}

Status describe(const sparql::Query& query, Operator& solutions, Execution& execution,
                rdf::QuadSink& sink) {
  Describer describer(execution, sink);
  std::vector<std::string_view> terms(query.describe_terms.begin(), query.describe_terms.end());
  std::vector<TermId> ids;
  if (!terms.empty()) {
    WEFT_TRY_STATUS(execution.source.find(terms, ids));
    WEFT_TRY_STATUS(describer.add(std::move(ids)));
  }
  if (query.projection.empty()) {
    return ok_status();
  }
  RowBatch batch;
  while (true) {
    WEFT_TRY_STATUS(solutions.next(batch));
    if (batch.empty()) {
      return ok_status();
    }
    Column resources;
    for (const sparql::VariableIndex variable : query.projection) {
      const size_t column = column_of(solutions.node().columns, variable);
      if (column != kNoColumn) {
        resources.insert(resources.end(), batch.columns[column].begin(),
                         batch.columns[column].end());
      }
    }
    WEFT_TRY_STATUS(describer.add(std::move(resources)));
  }
}

}  // namespace weft::exec
