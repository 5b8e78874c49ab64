#include "weft/rete/build/numbering.h"

#include <algorithm>

namespace weft::rete::build {
namespace {

constexpr size_t kCursorBytesMin = 4096;
constexpr size_t kCursorBytesMax = size_t{1} << 20U;
constexpr uint64_t kReportEvery = 1 << 16;

size_t cursor_bytes(size_t run_count, uint64_t merge_bytes) {
  const uint64_t share = merge_bytes / (2 * std::max<size_t>(run_count, 1));
  return std::clamp<uint64_t>(share, kCursorBytesMin, kCursorBytesMax);
}

TermMerge merge_of(std::span<const std::unique_ptr<Run>> runs, RunTerms Run::* terms,
                   RunFiles& files, uint64_t merge_bytes) {
  std::vector<std::unique_ptr<TermCursor>> cursors;
  cursors.reserve(runs.size());
  for (const auto& run : runs) {
    cursors.push_back(
        (*run.*terms).cursor(files.terms, files.numbers, cursor_bytes(runs.size(), merge_bytes)));
  }
  return TermMerge(std::move(cursors));
}

Error too_many(const char* what, uint64_t limit) {
  return Error(ErrorKind::kLimit, "more terms than a segment can number")
      .with("terms", what)
      .with("limit", limit);
}

Status number_predicates(TermMerge& merge, const NumberingOptions& options, const BuildSpace& space,
                         DictionarySection& section) {
  DictionaryWriter writer(section, options.shape, space);
  while (true) {
    WEFT_TRY(const bool more, merge.next());
    if (!more) {
      break;
    }
    if (section.term_count == options.ids_max) {
      return too_many("predicates", options.ids_max);
    }
    WEFT_TRY_STATUS(writer.add(merge.token()));
    const auto id = static_cast<uint32_t>(section.term_count);
    WEFT_TRY_STATUS(merge.assign(id));
    if (options.on_predicate) {
      options.on_predicate(merge.token(), id);
    }
  }
  WEFT_TRY_STATUS(merge.finish());
  return writer.finish();
}

Status number_graphs(TermMerge& merge, const NumberingOptions& options, Dictionary& dictionary) {
  while (true) {
    WEFT_TRY(const bool more, merge.next());
    if (!more) {
      return merge.finish();
    }
    if (dictionary.graph_names.size() == options.ids_max) {
      return too_many("graph names", options.ids_max);
    }
    dictionary.graph_names.emplace_back(merge.token());
    WEFT_TRY_STATUS(merge.assign(static_cast<uint32_t>(dictionary.graph_names.size())));
  }
}

// Shared terms get 1, 2, …, the others their rank within their section counted down from 2^32: how
// many are shared is known only at the end, and since shared + others fit 32 bits the two never
// meet. NumberedRows::node() resolves it.
Status number_nodes(TermMerge& merge, const NumberingOptions& options, const BuildSpace& space,
                    Dictionary& dictionary, uint64_t terms_in_runs) {
  DictionarySection& shared = dictionary.at(DictSection::kShared);
  DictionarySection& subjects = dictionary.at(DictSection::kSubjects);
  DictionarySection& objects = dictionary.at(DictSection::kObjects);
  DictionaryWriter shared_writer(shared, options.shape, space);
  DictionaryWriter subjects_writer(subjects, options.shape, space);
  DictionaryWriter objects_writer(objects, options.shape, space);
  for (uint64_t done = 0;; ++done) {
    WEFT_TRY(const bool more, merge.next());
    if (!more) {
      break;
    }
    if (done == options.ids_max) {
      return too_many("nodes", options.ids_max);
    }
    if (done % kReportEvery == 0) {
      space.report("dictionary", done, terms_in_runs);
      if (space.stop.stop_requested()) {
        return Error(ErrorKind::kCancelled, "stopped on request");
      }
    }
    dictionary.has_quoted_triples |= merge.token().starts_with("<<");
    if (merge.roles() == (kRoleSubject | kRoleObject)) {
      WEFT_TRY_STATUS(shared_writer.add(merge.token()));
      WEFT_TRY_STATUS(merge.assign(static_cast<uint32_t>(shared.term_count)));
      continue;
    }
    const bool is_subject = merge.roles() == kRoleSubject;
    WEFT_TRY_STATUS((is_subject ? subjects_writer : objects_writer).add(merge.token()));
    const uint64_t rank = (is_subject ? subjects : objects).term_count;
    WEFT_TRY_STATUS(merge.assign(0U - static_cast<uint32_t>(rank)));
  }
  WEFT_TRY_STATUS(merge.finish());
  WEFT_TRY_STATUS(shared_writer.finish());
  WEFT_TRY_STATUS(subjects_writer.finish());
  return objects_writer.finish();
}

}  // namespace

Status number_terms(std::span<const std::unique_ptr<Run>> runs, RunFiles& files,
                    const NumberingOptions& options, const BuildSpace& space,
                    Dictionary& dictionary) {
  uint64_t terms_in_runs = 0;
  for (const auto& run : runs) {
    terms_in_runs += run->nodes.term_count();
  }
  TermMerge predicates = merge_of(runs, &Run::predicates, files, options.merge_bytes);
  WEFT_TRY_STATUS(
      number_predicates(predicates, options, space, dictionary.at(DictSection::kPredicates)));
  TermMerge graphs = merge_of(runs, &Run::graphs, files, options.merge_bytes);
  WEFT_TRY_STATUS(number_graphs(graphs, options, dictionary));
  TermMerge nodes = merge_of(runs, &Run::nodes, files, options.merge_bytes);
  WEFT_TRY_STATUS(number_nodes(nodes, options, space, dictionary, terms_in_runs));
  for (const auto& run : runs) {
    run->predicates.release_terms();
    run->graphs.release_terms();
    run->nodes.release_terms();
  }
  return ok_status();
}

NumberedRows::NumberedRows(std::span<const std::unique_ptr<Run>> runs, RunFiles& files,
                           const Dictionary& dictionary, bool graph_names_are_nodes,
                           const BuildSpace& space)
    : runs_(runs),
      files_(files),
      shared_(dictionary.count(DictSection::kShared)),
      graph_names_are_nodes_(graph_names_are_nodes),
      space_(space) {
  for (const auto& run : runs) {
    triple_count_ += run->triple_count;
    quad_count_ += run->quad_count;
  }
}

void NumberedRows::translate(const Run& run, std::span<Row<3>> rows) const {
  const std::span<const uint32_t> nodes = run.nodes.numbers();
  const std::span<const uint32_t> predicates = run.predicates.numbers();
  for (Row<3>& row : rows) {
    row = {{node(nodes[row.at[0]]), predicates[row.at[1]], node(nodes[row.at[2]])}};
  }
}

void NumberedRows::translate(const Run& run, std::span<Row<4>> rows) const {
  const std::span<const uint32_t> nodes = run.nodes.numbers();
  const std::span<const uint32_t> predicates = run.predicates.numbers();
  const std::span<const uint32_t> graphs = run.graphs.numbers();
  for (Row<4>& row : rows) {
    const uint32_t graph = graph_names_are_nodes_ ? node(nodes[row.at[0]]) : graphs[row.at[0]];
    row = {{graph, node(nodes[row.at[1]]), predicates[row.at[2]], node(nodes[row.at[3]])}};
  }
}

Status NumberedRows::prepare() {
  return space_.executor.for_each(
      runs_.size(),
      [this](size_t index) {
        Run& run = *runs_[index];
        if (!run.is_spilled) {
          translate(run, run.triples.span());
          translate(run, run.quads.span());
        }
        return ok_status();
      },
      space_.stop);
}

template <size_t N>
Status NumberedRows::for_each(const std::function<Status(std::span<const Row<N>>)>& take) {
  constexpr size_t kRowsPerBatch = 16384;
  PageArray<Row<N>> batch;
  for (const auto& run : runs_) {
    const PageArray<Row<N>>* in_memory = nullptr;
    const std::vector<Extent>* extents = nullptr;
    if constexpr (N == 3) {
      in_memory = &run->triples;
      extents = &run->triples_extents;
    } else {
      in_memory = &run->quads;
      extents = &run->quads_extents;
    }
    if (!run->is_spilled) {
      WEFT_TRY_STATUS(take(in_memory->span()));
      continue;
    }
    if (extents->empty()) {
      continue;
    }
    WEFT_TRY_STATUS(run->nodes.load_numbers(files_.numbers));
    WEFT_TRY_STATUS(run->predicates.load_numbers(files_.numbers));
    WEFT_TRY_STATUS(run->graphs.load_numbers(files_.numbers));
    ExtentReader reader(files_.rows, *extents, kRowsPerBatch * sizeof(Row<N>));
    while (true) {
      WEFT_TRY(const ByteView bytes, reader.read(kRowsPerBatch * sizeof(Row<N>)));
      if (bytes.empty()) {
        break;
      }
      WEFT_CHECK(bytes.size() % sizeof(Row<N>) == 0);
      batch.resize(bytes.size() / sizeof(Row<N>));
      std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(batch.span()).begin());
      translate(*run, batch.span());
      if (space_.stop.stop_requested()) {
        return Error(ErrorKind::kCancelled, "stopped on request");
      }
      WEFT_TRY_STATUS(take(batch.span()));
    }
    run->nodes.release_numbers();
    run->predicates.release_numbers();
    run->graphs.release_numbers();
  }
  return ok_status();
}

Status NumberedRows::for_each_triple(const std::function<Status(std::span<const Row<3>>)>& take) {
  return for_each<3>(take);
}
Status NumberedRows::for_each_quad(const std::function<Status(std::span<const Row<4>>)>& take) {
  return for_each<4>(take);
}

void NumberedRows::release_triples() {
  for (const auto& run : runs_) {
    run->triples.release();
  }
}
void NumberedRows::release_quads() {
  for (const auto& run : runs_) {
    run->quads.release();
  }
}

}  // namespace weft::rete::build
