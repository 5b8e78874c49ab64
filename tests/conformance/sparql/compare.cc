#include <algorithm>
#include <map>
#include <set>

#include "tests/conformance/sparql/answers.h"

#include "weft/rdf/term.h"
#include "weft/rdf/value.h"

namespace weft::conformance {
namespace {

using Atoms = std::vector<std::string>;  // a row taken apart; blank nodes stand alone

// Literals in canonical form, triple terms as bracketed sequences.
void append_atoms(const std::string& token, bool strings_only, Atoms& out) {
  if (token.empty() || strings_only || token.starts_with("_:")) {
    out.push_back(token);
    return;
  }
  if (rdf::kind_of(token) == rdf::TermKind::kTriple) {
    if (const auto parts = rdf::split_triple(token)) {
      out.emplace_back("<<");
      append_atoms(std::string(parts->subject), false, out);
      append_atoms(std::string(parts->predicate), false, out);
      append_atoms(std::string(parts->object), false, out);
      return;
    }
  }
  out.push_back(rdf::Value::from_token(token).to_token());
}

std::vector<Atoms> take_apart(const Answers& answers, const std::vector<std::string>& columns) {
  std::vector<size_t> order;
  for (const std::string& column : columns) {
    const auto found = std::find(answers.variables.begin(), answers.variables.end(), column);
    order.push_back(static_cast<size_t>(found - answers.variables.begin()));
  }
  std::vector<Atoms> rows;
  for (const auto& row : answers.rows) {
    Atoms atoms;
    if (answers.kind == Answers::Kind::kGraph) {
      for (const std::string& token : row) {
        append_atoms(token, false, atoms);
      }
    } else {
      for (const size_t column : order) {
        append_atoms(column < row.size() ? row[column] : "", answers.strings_only, atoms);
      }
    }
    rows.push_back(std::move(atoms));
  }
  return rows;
}

// Matches rows one to one under a bijection of blank nodes, by backtracking.
class Matcher {
 public:
  Matcher(std::vector<Atoms> left, std::vector<Atoms> right, bool ordered)
      : left_(std::move(left)), right_(std::move(right)), ordered_(ordered) {
    used_.resize(right_.size());
  }

  bool match() { return left_.size() == right_.size() && match_from(0); }

 private:
  bool unify(const Atoms& a, const Atoms& b, std::vector<std::string>& bound) {
    if (a.size() != b.size()) {
      return false;
    }
    for (size_t i = 0; i < a.size(); ++i) {
      const bool blank = a[i].starts_with("_:");
      if (blank != b[i].starts_with("_:")) {
        return false;
      }
      if (!blank) {
        if (a[i] != b[i]) {
          return false;
        }
        continue;
      }
      const auto forward = forward_.find(a[i]);
      if (forward != forward_.end()) {
        if (forward->second != b[i]) {
          return false;
        }
      } else if (backward_.contains(b[i])) {
        return false;
      } else {
        forward_[a[i]] = b[i];
        backward_[b[i]] = a[i];
        bound.push_back(a[i]);
      }
    }
    return true;
  }

  bool match_from(size_t row) {
    if (row == left_.size()) {
      return true;
    }
    const size_t begin = ordered_ ? row : 0;
    const size_t end = ordered_ ? row + 1 : right_.size();
    for (size_t i = begin; i < end; ++i) {
      if (used_[i]) {
        continue;
      }
      std::vector<std::string> bound;
      if (unify(left_[row], right_[i], bound)) {
        used_[i] = true;
        if (match_from(row + 1)) {
          return true;
        }
        used_[i] = false;
      }
      for (const std::string& name : bound) {
        backward_.erase(forward_[name]);
        forward_.erase(name);
      }
      if (bound.empty() && left_[row] == right_[i]) {
        return false;  // equal ground rows: another choice changes nothing
      }
    }
    return false;
  }

  std::vector<Atoms> left_;
  std::vector<Atoms> right_;
  bool ordered_;
  std::vector<bool> used_;
  std::map<std::string, std::string> forward_;
  std::map<std::string, std::string> backward_;
};

// Rows with few blank nodes first: they leave fewer choices.
void sort_rows(std::vector<Atoms>& rows) {
  const auto blanks = [](const Atoms& row) {
    return std::count_if(row.begin(), row.end(),
                         [](const std::string& atom) { return atom.starts_with("_:"); });
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Atoms& a, const Atoms& b) {
    return std::pair(blanks(a), a) < std::pair(blanks(b), b);
  });
}

void remove_duplicates(std::vector<Atoms>& rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

std::string show(const std::vector<Atoms>& rows) {
  constexpr size_t kRowsMax = 12;
  std::string out;
  for (size_t i = 0; i < rows.size() && i < kRowsMax; ++i) {
    out += "\n      ";
    for (const std::string& atom : rows[i]) {
      out += " " + (atom.empty() ? "-" : atom);
    }
  }
  return rows.size() > kRowsMax ? out + "\n       …" : out;
}

}  // namespace

std::string difference(const Answers& expected, const Answers& actual, bool lax_cardinality) {
  if (expected.kind != actual.kind) {
    return "another kind of answer";
  }
  if (expected.kind == Answers::Kind::kBoolean) {
    return expected.boolean == actual.boolean ? "" : "the other boolean";
  }
  const std::set<std::string> wanted(expected.variables.begin(), expected.variables.end());
  const std::set<std::string> got(actual.variables.begin(), actual.variables.end());
  if (wanted != got) {
    return "other variables";
  }
  std::vector<Atoms> left = take_apart(expected, expected.variables);
  std::vector<Atoms> right = take_apart(actual, expected.variables);
  if (lax_cardinality || expected.kind == Answers::Kind::kGraph) {
    remove_duplicates(left);
    remove_duplicates(right);
  }
  const auto report = [&](const std::string& what) {
    return what + "\n    expected " + std::to_string(left.size()) + " rows:" + show(left) +
           "\n    came " + std::to_string(right.size()) + " rows:" + show(right);
  };
  if (expected.ordered) {
    if (Matcher(left, right, true).match()) {
      return "";
    }
    return Matcher(left, right, false).match() ? report("another order") : report("other rows");
  }
  sort_rows(left);
  sort_rows(right);
  return Matcher(left, right, false).match() ? "" : report("other rows");
}

}  // namespace weft::conformance
