// What commands that answer queries share: their options, and running a query over a source.
#pragma once

#include <memory>
#include <string>

#include "cli/session.h"
#include <CLI/CLI.hpp>

#include "weft/base/random.h"
#include "weft/engine/environment.h"
#include "weft/entail/entailed_source.h"
#include "weft/exec/query.h"
#include "weft/rdfio/format.h"
#include "weft/results/result_writer.h"
#include "weft/sparql/algebra.h"

namespace weft::cli {

struct QueryArguments {
  std::string text;
  std::string text_path;
  std::string format;
  std::string base_iri;
  double timeout_seconds = 0;
  bool explain = false;
  bool analyze = false;
  std::string entail;
};

// All options but the text of the query.
void add_query_options(CLI::App& command, QueryArguments& arguments);

// Errors: kInvalid if there is no query or two, or it is wrong.
Result<sparql::Query> read_query(const QueryArguments& arguments);

// --format, or the default. Errors: kInvalid, naming what there is.
Result<results::ResultFormat> solution_format(const QueryArguments& arguments,
                                              const Session& session);
Result<rdfio::Format> graph_format(const QueryArguments& arguments);

// --timeout; 0: none.
uint64_t timeout_ms(const QueryArguments& arguments);

// What a query of this command line runs with. Must outlive its prepared queries.
class QueryFrame {
 public:
  QueryFrame(const QueryArguments& arguments, engine::Environment& environment, Session& session);
  const exec::QueryOptions& options() const { return options_; }

 private:
  base::Random random_;
  std::unique_ptr<exec::ServiceClient> services_;
  exec::QueryOptions options_;
};

// A query planned over a source, and over what follows from it if --entail wants that.
class EntailedQuery {
 public:
  // `source` must outlive it. Errors: kUnsupported and kInvalid for regimes, those of reading the
  // schema and of planning.
  static Result<std::unique_ptr<EntailedQuery>> prepare(const QueryArguments& arguments,
                                                        sparql::Query query,
                                                        exec::QuadSource& source,
                                                        const exec::QueryOptions& options);
  exec::PreparedQuery& query() { return *query_; }

 private:
  EntailedQuery() = default;

  std::unique_ptr<entail::EntailedSource> entailed_;
  std::unique_ptr<exec::PreparedQuery> query_;
};

// Prints the plan if --explain or --analyze wants it. False: the answer is wanted.
Result<bool> print_plan(const QueryArguments& arguments, exec::PreparedQuery& query,
                        Session& session);

// Runs the query and prints its answer, or its plan.
Status answer_query(const QueryArguments& arguments, sparql::Query query, exec::QuadSource& source,
                    engine::Environment& environment, Session& session);

}  // namespace weft::cli
