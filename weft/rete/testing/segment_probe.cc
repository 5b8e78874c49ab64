#include "weft/rete/testing/segment_probe.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

#include <dirent.h>

#include "weft/base/check.h"
#include "weft/rete/dump.h"

namespace weft::rete {
namespace {

class BytesReader final : public storage::ObjectReader {
 public:
  BytesReader(std::string bytes, bool is_remote, std::string identity, ReadCounters* counters)
      : bytes_(std::make_shared<const std::string>(std::move(bytes))),
        is_remote_(is_remote),
        identity_(std::move(identity)),
        counters_(counters) {}

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return bytes_->size(); }
  std::string identity() const override { return identity_; }
  bool is_remote() const override { return is_remote_; }
  Result<std::vector<storage::Buffer>> read_many(const std::vector<storage::Range>& ranges,
                                                 std::stop_token) override {
    std::vector<storage::Buffer> buffers;
    for (const storage::Range& range : ranges) {
      if (range.offset > bytes_->size() || range.size > bytes_->size() - range.offset) {
        return Error(ErrorKind::kInvalid, "range leaves the object");
      }
      buffers.emplace_back(bytes_, as_bytes(*bytes_).subspan(range.offset, range.size));
      if (counters_ != nullptr) {
        counters_->bytes += range.size;
      }
    }
    if (counters_ != nullptr) {
      ++counters_->calls;
      counters_->ranges += ranges.size();
    }
    return buffers;
  }

 private:
  std::string name_ = "memory.rete";
  std::shared_ptr<const std::string> bytes_;
  bool is_remote_;
  std::string identity_;
  ReadCounters* counters_;
};

}  // namespace

std::unique_ptr<storage::ObjectReader> bytes_reader(std::string bytes, bool is_remote,
                                                    std::string identity, ReadCounters* counters) {
  return std::make_unique<BytesReader>(std::move(bytes), is_remote, std::move(identity), counters);
}

std::string test_data(std::string_view name) {
  const char* const from_environment = std::getenv("WEFT_TESTDATA");
  const std::string root = from_environment != nullptr ? from_environment : WEFT_TESTDATA_DEFAULT;
  std::string folder = root + "/" + std::string(name);
  DIR* const open = opendir(folder.c_str());
  if (open == nullptr) {
    return {};
  }
  closedir(open);
  return folder;
}

std::string read_whole(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  WEFT_CHECK(file != nullptr);
  std::string bytes;
  char piece[65536];
  while (const size_t count = std::fread(piece, 1, sizeof(piece), file)) {
    bytes.append(piece, count);
  }
  std::fclose(file);
  return bytes;
}

std::vector<std::string> files_in(const std::string& folder, std::string_view ending) {
  std::vector<std::string> names;
  DIR* const open = opendir(folder.c_str());
  WEFT_CHECK(open != nullptr);
  while (const dirent* const entry = readdir(open)) {
    if (std::string_view(entry->d_name).ends_with(ending)) {
      names.emplace_back(entry->d_name);
    }
  }
  closedir(open);
  std::sort(names.begin(), names.end());
  return names;
}

Status LineSink::accept(std::span<const rdf::QuadView> quads) {
  for (const rdf::QuadView& quad : quads) {
    std::string line;
    for (const std::string_view part : {quad.subject, quad.predicate, quad.object, quad.graph}) {
      if (!part.empty()) {
        line.append(part);
        line.push_back(' ');
      }
    }
    line.push_back('.');
    lines_.push_back(std::move(line));
  }
  return ok_status();
}

std::vector<std::string> LineSink::sorted() && {
  std::sort(lines_.begin(), lines_.end());
  return std::move(lines_);
}

Result<std::vector<std::string>> dump_lines(Segment& segment, bool canonical) {
  LineSink sink;
  DumpOptions options;
  options.canonical = canonical;
  WEFT_TRY_STATUS(dump(segment, sink, options, {}));
  return std::move(sink).sorted();
}

namespace {

class Asker {
 public:
  explicit Asker(Segment& segment) : segment_(segment) {}

  std::vector<Answer> ask(const std::vector<std::string>& tokens) {
    const Result<TermCounts> counts = segment_.term_counts();
    if (counts.ok()) {
      counts_ = *counts;
    }
    note("term counts", counts.ok() ? Result<std::string>(std::to_string(counts_.shared) + " " +
                                                          std::to_string(counts_.subjects) + " " +
                                                          std::to_string(counts_.objects) + " " +
                                                          std::to_string(counts_.predicates))
                                    : Result<std::string>(counts.error()));
    for (unsigned i = 0; i < rdf::kPermutationCount; ++i) {
      const auto permutation = static_cast<rdf::Permutation>(i);
      for (const rdf::GraphScope scope : {rdf::GraphScope::kDefault, rdf::GraphScope::kAllNamed}) {
        note("scan " + std::string(rdf::permutation_name(permutation)) +
                 (scope == rdf::GraphScope::kDefault ? "" : " named"),
             scan(permutation, scope));
      }
    }
    note("find", find(tokens));
    note("tokens", all_tokens());
    note("graphs", graphs());
    note("counts", count_all());
    note("irregular", irregular());
    note("card", optional_text(segment_.card()));
    note("schema", schema());
    note("text", text());
    note("labels", labels());
    return std::move(answers_);
  }

 private:
  void note(std::string question, Result<std::string> answer) {
    if (answer.ok()) {
      answers_.push_back({std::move(question), std::move(answer).value(), false, {}});
    } else {
      answers_.push_back(
          {std::move(question), answer.error().to_string(), true, answer.error().kind()});
    }
  }

  Result<std::string> scan(rdf::Permutation permutation, rdf::GraphScope scope) {
    if (!segment_.has_permutation(permutation)) {
      return std::string("not stored");
    }
    LocalPattern pattern;
    pattern.scope = scope;
    WEFT_TRY(const std::unique_ptr<SegmentCursor> cursor, segment_.scan(pattern, permutation, {}));
    std::string out;
    LocalBatch batch;
    while (true) {
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        return out;
      }
      for (size_t i = 0; i < batch.size(); ++i) {
        const uint32_t row[4] = {batch.subject[i], batch.predicate[i], batch.object[i],
                                 batch.graph.empty() ? 0 : batch.graph[i]};
        out.append(reinterpret_cast<const char*>(row), sizeof(row));
      }
    }
  }

  Result<std::string> find(const std::vector<std::string>& tokens) {
    const std::vector<std::string_view> views(tokens.begin(), tokens.end());
    std::vector<LocalTerm> found;
    WEFT_TRY_STATUS(segment_.find(views, TermRoles::kBoth, found, {}));
    std::string out;
    for (const LocalTerm& term : found) {
      out += std::to_string(term.node) + "/" + std::to_string(term.predicate) + " ";
    }
    return out;
  }

  Result<std::string> all_tokens() {
    std::vector<NodeId> nodes(counts_.nodes());
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      nodes[i] = i + 1;
    }
    std::vector<PredicateId> predicates(counts_.predicates);
    for (uint32_t i = 0; i < predicates.size(); ++i) {
      predicates[i] = i + 1;
    }
    TokenTable tokens;
    WEFT_TRY_STATUS(segment_.tokens_of(nodes, predicates, tokens, {}));
    std::string out;
    for (size_t i = 0; i < tokens.size(); ++i) {
      out.append(tokens[i]);
      out.push_back('\n');
    }
    return out;
  }

  Result<std::string> graphs() {
    WEFT_TRY(const auto graphs, segment_.graphs({}));
    std::string out;
    for (const GraphEntry& entry : *graphs) {
      WEFT_TRY(const uint64_t quads, segment_.quads_in_graph(entry.graph, {}));
      out += std::to_string(entry.graph) + ":" + std::to_string(entry.quad_count) + "=" +
             std::to_string(quads) + " ";
    }
    return out;
  }

  Result<std::string> count_all() {
    std::string out;
    for (uint32_t s = 0; s <= 2; ++s) {
      for (uint32_t p = 0; p <= 2; ++p) {
        for (uint32_t o = 0; o <= 2; ++o) {
          LocalPattern pattern{.subject = s, .predicate = p, .object = o};
          for (const auto scope : {rdf::GraphScope::kDefault, rdf::GraphScope::kAllNamed}) {
            pattern.scope = scope;
            // What is called exact must be; an estimate may be anything.
            WEFT_TRY(const rdf::Cardinality rows, segment_.count(pattern, {}));
            WEFT_TRY(const uint64_t counted,
                     rows.exact ? Result<uint64_t>(static_cast<uint64_t>(rows.rows))
                                : count_by_scan(pattern));
            out += std::to_string(counted) + " ";
          }
        }
      }
    }
    return out;
  }

  Result<uint64_t> count_by_scan(const LocalPattern& pattern) {
    WEFT_TRY(const std::unique_ptr<SegmentCursor> cursor,
             segment_.scan(pattern, rdf::Permutation::kSpo, {}));
    uint64_t count = 0;
    LocalBatch batch;
    while (true) {
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        return count;
      }
      count += batch.size();
    }
  }

  Result<std::string> irregular() {
    WEFT_TRY(const auto terms, segment_.irregular_terms({}));
    std::string out;
    for (const IrregularTerm& each : *terms) {
      out += std::to_string(each.term.node) + "/" + std::to_string(each.term.predicate) + "=" +
             each.canonical + "\n";
    }
    return out;
  }

  static Result<std::string> optional_text(Result<std::optional<std::string>> text) {
    if (!text.ok()) {
      return std::move(text).error();
    }
    return text->has_value() ? "text " + **text : std::string("none");
  }

  Result<std::string> schema() {
    WEFT_TRY(const auto schema, segment_.schema());
    if (schema == nullptr) {
      return std::string("none");
    }
    std::string out = schema->type_predicate;
    for (const PredicateStatistics& each : schema->predicates) {
      out += " " + std::to_string(each.predicate) + "," + std::to_string(each.triples) + "," +
             std::to_string(each.distinct_subjects) + "," + std::to_string(each.distinct_objects) +
             "," + std::to_string(each.objects_per_subject_max) + "," +
             std::to_string(each.subjects_per_object_max);
    }
    for (const SchemaClass& each : schema->classes) {
      out += " " + each.name + std::to_string(each.depth);
    }
    return out;
  }

  Result<std::string> text() {
    WEFT_TRY(const auto scope, segment_.text_scope());
    std::string out = scope.has_value() ? "scope " : "none";
    for (const char* word : {"alpha", "beta", "the", "note", "text", "wort", "12"}) {
      WEFT_TRY(const std::vector<NodeId> subjects, segment_.subjects_with_word(word));
      for (const NodeId subject : subjects) {
        out += std::to_string(subject) + " ";
      }
      out += ";";
    }
    return out;
  }

  Result<std::string> labels() {
    WEFT_TRY(const auto matches, segment_.labels_with_prefix("", 100'000));
    std::string out;
    for (const LabelMatch& match : matches) {
      out += match.key + "=" + match.subject + "\n";
    }
    WEFT_TRY(const auto few, segment_.labels_with_prefix("s", 3));
    for (const LabelMatch& match : few) {
      out += match.key + "=" + match.subject + "\n";
    }
    return out;
  }

  Segment& segment_;
  TermCounts counts_;
  std::vector<Answer> answers_;
};

}  // namespace

std::vector<Answer> ask_everything(std::unique_ptr<storage::ObjectReader> reader,
                                   const SegmentOptions& options,
                                   const std::vector<std::string>& tokens) {
  Result<std::shared_ptr<Segment>> segment = Segment::open(std::move(reader), options);
  if (!segment.ok()) {
    return {{"open", segment.error().to_string(), true, segment.error().kind()}};
  }
  return Asker(**segment).ask(tokens);
}

}  // namespace weft::rete
