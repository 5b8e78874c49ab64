#include "weft/plan/path_program.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace weft::plan {
namespace {

using sparql::PathExpression;
using Kind = PathExpression::Kind;
using Positions = std::vector<uint32_t>;  // ascending

Positions united(const Positions& a, const Positions& b) {
  Positions result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

struct Fragment {
  bool nullable = false;
  Positions first;
  Positions last;
};

class Builder {
 public:
  explicit Builder(const std::function<rdf::TermId(const std::string&)>& id_of) : id_of_(id_of) {}

  Result<PathProgram> run(const PathExpression& path, bool inverse) {
    const Fragment whole = build(path, inverse);
    if (labels_.size() > kPathStepsMax) {
      return Error(ErrorKind::kLimit, "property path has too many steps")
          .with("limit", "path steps")
          .with("path_steps_max", kPathStepsMax);
    }
    PathProgram program;
    program.labels = labels_;
    std::map<std::pair<Positions, bool>, uint32_t> states;
    Positions state_of(labels_.size());
    std::vector<Positions> next;
    const auto state = [&](const Positions& follow, bool accepts) {
      const auto [found, fresh] =
          states.try_emplace({follow, accepts}, static_cast<uint32_t>(next.size()));
      if (fresh) {
        program.states.push_back({accepts, {}});
        next.push_back(follow);
      }
      return found->second;
    };
    state(whole.first, whole.nullable);
    for (uint32_t i = 0; i < labels_.size(); ++i) {
      state_of[i] = state(follow_[i], std::binary_search(whole.last.begin(), whole.last.end(), i));
    }
    for (size_t s = 0; s < next.size(); ++s) {
      for (const uint32_t position : next[s]) {
        program.states[s].steps.push_back({position, state_of[position]});
      }
    }
    return program;
  }

 private:
  Fragment step(PathLabel label) {
    const auto position = static_cast<uint32_t>(labels_.size());
    labels_.push_back(std::move(label));
    follow_.emplace_back();
    return {false, {position}, {position}};
  }

  Fragment edge(const std::string& iri, bool backwards) {
    const rdf::TermId predicate = id_of_(iri);
    return predicate == rdf::kNoTerm ? Fragment() : step({predicate, {}, backwards});
  }

  void connect(const Fragment& from, const Fragment& to) {
    for (const uint32_t position : from.last) {
      follow_[position] = united(follow_[position], to.first);
    }
  }

  Fragment build(const PathExpression& path, bool inverse) {
    if (labels_.size() > kPathStepsMax) {
      return {};  // reported at the end
    }
    switch (path.kind) {
      case Kind::kIri:
        return edge(path.iri, inverse);
      case Kind::kInverse:
        return build(path.parts.front(), !inverse);
      case Kind::kSequence:
        return sequence(path, inverse);
      case Kind::kAlternative: {
        Fragment any;
        for (const PathExpression& part : path.parts) {
          any = either(any, build(part, inverse));
        }
        return any;
      }
      case Kind::kZeroOrMore:
      case Kind::kOneOrMore: {
        Fragment inner = build(path.parts.front(), inverse);
        connect(inner, inner);
        inner.nullable = inner.nullable || path.kind == Kind::kZeroOrMore;
        return inner;
      }
      case Kind::kZeroOrOne: {
        Fragment inner = build(path.parts.front(), inverse);
        inner.nullable = true;
        return inner;
      }
      case Kind::kNegatedSet:
        return negated(path, inverse);
    }
    return {};
  }

  static Fragment either(const Fragment& a, const Fragment& b) {
    return {a.nullable || b.nullable, united(a.first, b.first), united(a.last, b.last)};
  }

  Fragment sequence(const PathExpression& path, bool inverse) {
    Fragment all;
    all.nullable = true;
    for (size_t i = 0; i < path.parts.size(); ++i) {
      const size_t at = inverse ? path.parts.size() - 1 - i : i;
      const Fragment next = build(path.parts[at], inverse);
      connect(all, next);
      all.first = all.nullable ? united(all.first, next.first) : all.first;
      all.last = next.nullable ? united(all.last, next.last) : next.last;
      all.nullable = all.nullable && next.nullable;
    }
    return all;
  }

  // !(a|^b): edges that are no a, and edges walked back that are no b. A direction that is not
  // named is not walked.
  Fragment negated(const PathExpression& path, bool inverse) {
    PathLabel forwards;
    PathLabel backwards;
    forwards.backwards = inverse;
    backwards.backwards = !inverse;
    bool has_forwards = path.parts.empty();
    bool has_backwards = false;
    for (const PathExpression& part : path.parts) {
      const bool is_inverse = part.kind == Kind::kInverse;
      (is_inverse ? has_backwards : has_forwards) = true;
      const rdf::TermId id = id_of_(is_inverse ? part.parts.front().iri : part.iri);
      if (id != rdf::kNoTerm) {
        (is_inverse ? backwards : forwards).excluded.push_back(id);
      }
    }
    Fragment any;
    if (has_forwards) {
      any = either(any, step(std::move(forwards)));
    }
    if (has_backwards) {
      any = either(any, step(std::move(backwards)));
    }
    return any;
  }

  const std::function<rdf::TermId(const std::string&)>& id_of_;
  std::vector<PathLabel> labels_;  // by position
  std::vector<Positions> follow_;
};

}  // namespace

Result<PathProgram> make_path_program(
    const PathExpression& path, bool inverse,
    const std::function<rdf::TermId(const std::string& token)>& id_of) {
  return Builder(id_of).run(path, inverse);
}

std::string path_text(const PathExpression& path) {
  const auto inner = [&] {
    const PathExpression& part = path.parts.front();
    return part.kind == Kind::kIri ? path_text(part) : "(" + path_text(part) + ")";
  };
  const auto list = [&](std::string_view between) {
    std::string text;
    for (const PathExpression& part : path.parts) {
      text += text.empty() ? "" : between;
      const bool plain = part.kind != Kind::kSequence && part.kind != Kind::kAlternative;
      text += plain ? path_text(part) : "(" + path_text(part) + ")";
    }
    return text;
  };
  switch (path.kind) {
    case Kind::kIri:
      return path.iri;
    case Kind::kInverse:
      return "^" + inner();
    case Kind::kSequence:
      return list("/");
    case Kind::kAlternative:
      return list("|");
    case Kind::kZeroOrMore:
      return inner() + "*";
    case Kind::kOneOrMore:
      return inner() + "+";
    case Kind::kZeroOrOne:
      return inner() + "?";
    case Kind::kNegatedSet:
      return "!(" + list("|") + ")";
  }
  return "";
}

}  // namespace weft::plan
