// Terms of a segment: by text, by id, and those that are not canonical.
#include <utility>

#include "weft/base/present.h"
#include "weft/codec/varint.h"
#include "weft/rdf/term.h"
#include "weft/rete/damage.h"
#include "weft/rete/file_segment.h"

namespace weft::rete {
namespace {

bool wants(TermRoles roles, TermRoles role) {
  return (static_cast<unsigned>(roles) & static_cast<unsigned>(role)) != 0;
}

// The node or predicate at an index of a section.
LocalTerm term_at(const TermCounts& counts, DictSection section, uint64_t index) {
  const auto id = static_cast<uint32_t>(index + 1);
  switch (section) {
    case DictSection::kShared:
      return {.node = id, .predicate = 0};
    case DictSection::kSubjects:
      return {.node = counts.shared + id, .predicate = 0};
    case DictSection::kObjects:
      return {.node = counts.shared + counts.subjects + id, .predicate = 0};
    case DictSection::kPredicates:
      return {.node = 0, .predicate = id};
  }
  return {};
}

TermPlace place_of_node(const TermCounts& counts, NodeId node) {
  if (node <= counts.shared) {
    return {DictSection::kShared, uint64_t{node} - 1};
  }
  if (node <= counts.shared + counts.subjects) {
    return {DictSection::kSubjects, uint64_t{node} - counts.shared - 1};
  }
  return {DictSection::kObjects, uint64_t{node} - counts.shared - counts.subjects - 1};
}

// Probes and the tokens they belong to.
struct Probes {
  std::vector<TermProbe> probes;
  std::vector<size_t> token_of;
  void add(DictSection section, std::string_view token, size_t index) {
    probes.push_back({section, token, TermProbe::kAbsent});
    token_of.push_back(index);
  }
};

void take_answers(const TermCounts& counts, const Probes& asked, std::vector<LocalTerm>& found) {
  for (size_t i = 0; i < asked.probes.size(); ++i) {
    const TermProbe& probe = asked.probes[i];
    if (probe.index == TermProbe::kAbsent) {
      continue;
    }
    const LocalTerm term = term_at(counts, probe.section, probe.index);
    LocalTerm& answer = found[asked.token_of[i]];
    answer.node = term.node != 0 ? term.node : answer.node;
    answer.predicate = term.predicate != 0 ? term.predicate : answer.predicate;
  }
}

}  // namespace

Result<TermCounts> FileSegment::term_counts() {
  WEFT_TRY(const Roots* const known, roots({}));
  return known->counts;
}

Status FileSegment::find(std::span<const std::string_view> tokens, TermRoles roles,
                         std::vector<LocalTerm>& found, std::stop_token stop) {
  WEFT_TRY(const Roots* const known, roots(stop));
  found.assign(tokens.size(), {});
  const bool nodes = wants(roles, TermRoles::kNodes);
  // A term is in one node section only. Shared ones come first: they are the most, and a second
  // read for the rest is cheaper than three sections for everybody. Literals are rarely shared, so
  // their own section is asked at once; over a network, where a read costs more than a chunk, all
  // are.
  const bool ask_all = file_.is_remote();
  Probes first;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (wants(roles, TermRoles::kPredicates)) {
      first.add(DictSection::kPredicates, tokens[i], i);
    }
    if (nodes) {
      first.add(DictSection::kShared, tokens[i], i);
      if (ask_all || tokens[i].starts_with('"')) {
        first.add(DictSection::kObjects, tokens[i], i);
      }
      if (ask_all) {
        first.add(DictSection::kSubjects, tokens[i], i);
      }
    }
  }
  WEFT_TRY_STATUS(base::present(known->dictionary).find(first.probes, stop));
  take_answers(known->counts, first, found);
  if (!nodes) {
    return ok_status();
  }
  Probes rest;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (found[i].node != 0) {
      continue;
    }
    if (const auto name = known->graph_name_ids.find(std::string(tokens[i]));
        name != known->graph_name_ids.end()) {
      found[i].node = name->second;
      continue;
    }
    if (!ask_all) {
      rest.add(DictSection::kSubjects, tokens[i], i);
    }
    if (!ask_all && !tokens[i].starts_with('"')) {
      rest.add(DictSection::kObjects, tokens[i], i);
    }
  }
  WEFT_TRY_STATUS(base::present(known->dictionary).find(rest.probes, stop));
  take_answers(known->counts, rest, found);
  return ok_status();
}

Status FileSegment::tokens_of(std::span<const NodeId> nodes,
                              std::span<const PredicateId> predicates, TokenTable& tokens,
                              std::stop_token stop) {
  WEFT_TRY(const Roots* const known, roots(stop));
  tokens.clear();
  std::vector<TermPlace> places;
  places.reserve(nodes.size() + predicates.size());
  bool has_graph_names = false;
  for (const NodeId node : nodes) {
    if (node == 0 || node > known->counts.nodes()) {
      return Error(ErrorKind::kInternal, "no such node in the segment")
          .with("file", name())
          .with("node", uint64_t{node});
    }
    if (known->first_graph_name != 0 && node >= known->first_graph_name) {
      has_graph_names = true;
      continue;
    }
    places.push_back(place_of_node(known->counts, node));
  }
  for (const PredicateId predicate : predicates) {
    places.push_back({DictSection::kPredicates, uint64_t{predicate} - 1});
  }
  if (!has_graph_names) {
    return base::present(known->dictionary).tokens(places, tokens, stop);
  }
  TokenTable of_terms;
  WEFT_TRY_STATUS(base::present(known->dictionary).tokens(places, of_terms, stop));
  size_t next = 0;
  for (const NodeId node : nodes) {
    if (node >= known->first_graph_name) {
      tokens.add(known->graph_names[node - known->first_graph_name]);
    } else {
      tokens.add(of_terms[next++]);
    }
  }
  for (; next < of_terms.size(); ++next) {
    tokens.add(of_terms[next]);
  }
  return ok_status();
}

namespace {

// As it stands in the verdict store: count, then per term which space, its id, its canonical token.
std::string encode(const std::vector<IrregularTerm>& terms) {
  std::string out;
  codec::append_varint(out, terms.size());
  for (const IrregularTerm& each : terms) {
    codec::append_varint(out, each.term.node != 0 ? 0 : 1);
    codec::append_varint(out, each.term.node != 0 ? each.term.node : each.term.predicate);
    codec::append_length_prefixed(out, each.canonical);
  }
  return out;
}

std::optional<std::vector<IrregularTerm>> decode(std::string_view bytes, const TermCounts& counts) {
  codec::ByteReaderView reader(as_bytes(bytes));
  constexpr size_t kTermBytesMin = 3;
  const uint64_t count = reader.count(kTermBytesMin);
  std::vector<IrregularTerm> terms;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t space = reader.varint();
    const uint64_t id = reader.varint();
    IrregularTerm each;
    (space == 0 ? each.term.node : each.term.predicate) = static_cast<uint32_t>(id);
    each.canonical = as_text(reader.length_prefixed());
    if (!reader.ok() || space > 1 || id == 0 ||
        id > (space == 0 ? counts.nodes() : counts.predicates)) {
      return std::nullopt;
    }
    terms.push_back(std::move(each));
  }
  return reader.remaining() == 0 ? std::optional(std::move(terms)) : std::nullopt;
}

// Adds the term if its token has another canonical form. What is no term at all stays as it is: no
// query can name it.
void add_if_irregular(std::string_view token, const LocalTerm& term,
                      std::vector<IrregularTerm>& terms) {
  if (rdf::is_canonical(token)) {
    return;
  }
  Result<std::string> canonical = rdf::canonical_token(token);
  if (canonical.ok() && *canonical != token) {
    terms.push_back({term, std::move(canonical).value()});
  }
}

}  // namespace

Result<std::shared_ptr<const std::vector<IrregularTerm>>> FileSegment::irregular_terms(
    std::stop_token stop) {
  using Terms = std::vector<IrregularTerm>;
  WEFT_TRY(const Roots* const known, roots(stop));
  const base::MutexLock lock(beside_mutex_);
  if (irregular_ != nullptr) {
    return irregular_;
  }
  if (facts_.has_canonical_tokens) {
    irregular_ = std::make_shared<const Terms>();
    return irregular_;
  }
  const VerdictKey key{file_.identity(), facts_.content_hash};
  const bool remembers = verdicts_ != nullptr && !key.identity.empty();
  if (remembers) {
    if (const auto payload = verdicts_->load(key, VerdictKind::kIrregularTerms);
        payload.has_value()) {
      if (std::optional<Terms> terms = decode(*payload, known->counts); terms.has_value()) {
        irregular_ = std::make_shared<const Terms>(std::move(*terms));
        return irregular_;
      }
    }
  }
  Terms terms;
  for (size_t i = 0; i < kDictSectionCount; ++i) {
    const auto section = static_cast<DictSection>(i);
    WEFT_TRY_STATUS(base::present(known->dictionary)
                        .for_each(
                            section,
                            [&](uint64_t index, std::string_view token) -> Status {
                              add_if_irregular(token, term_at(known->counts, section, index),
                                               terms);
                              return ok_status();
                            },
                            stop));
  }
  for (size_t i = 0; i < known->graph_names.size(); ++i) {
    const NodeId node = known->first_graph_name + static_cast<uint32_t>(i);
    add_if_irregular(known->graph_names[i], {.node = node, .predicate = 0}, terms);
  }
  if (remembers) {
    verdicts_->save(key, VerdictKind::kIrregularTerms, encode(terms));
  }
  irregular_ = std::make_shared<const Terms>(std::move(terms));
  return irregular_;
}

}  // namespace weft::rete
