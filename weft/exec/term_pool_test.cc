#include "weft/exec/term_pool.h"

#include <gtest/gtest.h>

namespace weft::exec {
namespace {

std::string token_of(const TermPool& pool, rdf::TermId id) {
  std::string token;
  pool.append_token(id, token);
  return token;
}

TEST(TermPool, EqualTokensHaveOneIdAndComeBackUnchanged) {
  base::MemoryBudget budget("memory", 16 << 20);
  TermPool pool(&budget);
  const std::vector<std::string> tokens = {
      "<http://e/a>",
      "\"a\"",
      "\"a\"@en",
      "\"0\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"-1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"01\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"-0\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"+1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"-\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"576460752303423487\"^^<http://www.w3.org/2001/XMLSchema#integer>",   // 2^59 - 1
      "\"576460752303423488\"^^<http://www.w3.org/2001/XMLSchema#integer>",   // 2^59
      "\"-576460752303423488\"^^<http://www.w3.org/2001/XMLSchema#integer>",  // -2^59
      "\"-576460752303423489\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"99999999999999999999\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>",
      "\"false\"^^<http://www.w3.org/2001/XMLSchema#boolean>",
      "\"1\"^^<http://www.w3.org/2001/XMLSchema#boolean>",
  };
  std::vector<rdf::TermId> ids;
  for (const std::string& token : tokens) {
    const Result<rdf::TermId> id = pool.intern(token);
    ASSERT_TRUE(id.ok());
    EXPECT_TRUE(is_computed(*id));
    for (const rdf::TermId other : ids) {
      EXPECT_NE(*id, other) << token;
    }
    ids.push_back(*id);
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(token_of(pool, ids[i]), tokens[i]);
    EXPECT_EQ(*pool.intern(tokens[i]), ids[i]);
  }
}

TEST(TermPool, TenThousandTokensKeepTheirIds) {
  base::MemoryBudget budget("memory", 16 << 20);
  TermPool pool(&budget);
  std::vector<rdf::TermId> ids;
  for (int i = 0; i < 10'000; ++i) {
    ids.push_back(*pool.intern("\"number " + std::to_string(i) + "\""));
  }
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(*pool.intern("\"number " + std::to_string(i) + "\""), ids[static_cast<size_t>(i)]);
    ASSERT_EQ(token_of(pool, ids[static_cast<size_t>(i)]), "\"number " + std::to_string(i) + "\"");
  }
}

TEST(TermPool, RemembersWhatTheSourceAnswered) {
  base::MemoryBudget budget("memory", 16 << 20);
  TermPool pool(&budget);
  for (int i = 0; i < 1'000; ++i) {
    const rdf::TermId id = *pool.intern("\"n" + std::to_string(i) + "\"");
    EXPECT_EQ(pool.resolved(id), rdf::kNoTerm);
    ASSERT_TRUE(pool.set_resolved(id, static_cast<rdf::TermId>(i + 1)).ok());
  }
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_EQ(pool.resolved(*pool.intern("\"n" + std::to_string(i) + "\"")),
              static_cast<rdf::TermId>(i + 1));
  }
}

TEST(TermPool, BeyondTheBudgetIsALimit) {
  base::MemoryBudget budget("query memory", 1 << 20);
  {
    TermPool pool(&budget);
    ErrorKind kind = ErrorKind::kInternal;
    for (int i = 0; i < 100'000; ++i) {
      const Result<rdf::TermId> id =
          pool.intern("\"a rather long token " + std::to_string(i) + "\"");
      if (!id.ok()) {
        kind = id.error().kind();
        break;
      }
    }
    EXPECT_EQ(kind, ErrorKind::kLimit);
    EXPECT_LE(budget.peak_bytes(), budget.limit_bytes());
    EXPECT_FALSE(pool.intern(std::string(2 << 20, 'x')).ok());
  }
  EXPECT_EQ(budget.used_bytes(), 0);
}

}  // namespace
}  // namespace weft::exec
