// weft info: what a segment is, from its header and root.

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/json_text.h"
#include "cli/progress.h"
#include <fmt/format.h>

#include "weft/codec/blake3.h"

namespace weft::cli {
namespace {

struct InfoArguments {
  std::string target;
};

std::string permutation_list(uint8_t mask) {
  std::string names;
  for (size_t i = 0; i < rdf::kPermutationCount; ++i) {
    if ((mask >> i & 1U) != 0) {
      names += names.empty() ? "" : " ";
      names += rdf::permutation_name(static_cast<rdf::Permutation>(i));
    }
  }
  return names;
}

struct Beside {
  std::optional<std::string> card;
  std::optional<std::string> build_record;
};

std::string info_json(const rete::SegmentFacts& facts, const Beside& beside, bool checked) {
  JsonText json;
  json.begin_object()
      .field("schemaVersion", uint64_t{1})
      .field("generation", uint64_t{facts.generation})
      .field("content_hash", std::string_view(codec::to_hex(facts.content_hash)))
      .field("size", facts.file_size)
      .field("quads", facts.quad_count)
      .field("terms", facts.term_count);
  json.key("graphs");
  facts.graph_count ? json.value(*facts.graph_count) : json.null();
  json.field("permutations", std::string_view(permutation_list(facts.permutation_mask)))
      .field("pyramid_levels", uint64_t{facts.pyramid_levels})
      .field("named_graphs", facts.has_named_graphs)
      .field("quoted_triples", facts.has_quoted_triples)
      .field("block_digests", facts.has_block_digests)
      .field("canonical_tokens", facts.has_canonical_tokens)
      .field("text_index", facts.has_text_index)
      .field("label_index", facts.has_label_index)
      .field("checked", checked);
  json.key("sections").begin_array();
  for (const rete::SegmentFacts::Section& section : facts.sections) {
    json.begin_object()
        .field("kind", uint64_t{section.kind})
        .field("name", std::string_view(section.name))
        .field("offset", section.offset)
        .field("size", section.size)
        .end_object();
  }
  json.end_array();
  json.key("card");
  beside.card ? json.value(std::string_view(*beside.card)) : json.null();
  json.key("build_record");
  beside.build_record ? json.value(std::string_view(*beside.build_record)) : json.null();
  json.end_object();
  return json.text() + "\n";
}

std::string info_text(const std::string& name, const rete::SegmentFacts& facts,
                      const Beside& beside, bool checked) {
  std::string text = fmt::format("{}: .rete generation {}, {}\n", name, facts.generation,
                                 readable_bytes(facts.file_size));
  text += fmt::format("  content hash  {}\n", codec::to_hex(facts.content_hash));
  text += fmt::format("  quads         {}\n", with_separators(facts.quad_count));
  text += fmt::format("  terms         {}\n", with_separators(facts.term_count));
  if (facts.graph_count) {
    text += fmt::format("  named graphs  {}\n", with_separators(*facts.graph_count));
  }
  text += fmt::format("  permutations  {}\n", permutation_list(facts.permutation_mask));
  text += fmt::format("  integrity     {}\n",
                      facts.has_block_digests ? "a digest per 64 KiB, checked as they are read"
                      : checked               ? "the whole file is checked once, then remembered"
                                              : "not checked (remote; see --verify-remote)");
  text += fmt::format("  indexes       {}{}{}\n", facts.has_schema ? "schema " : "",
                      facts.has_text_index ? "text " : "", facts.has_label_index ? "labels" : "");
  if (facts.pyramid_levels > 0) {
    text += fmt::format("  pyramid       {} levels\n", facts.pyramid_levels);
  }
  text += "  sections\n";
  for (const rete::SegmentFacts::Section& section : facts.sections) {
    text += fmt::format("    {:>3}  {:<14} {:>12} bytes at {}\n", section.kind, section.name,
                        with_separators(section.size), section.offset);
  }
  if (beside.card) {
    text += fmt::format("  card          {}\n", *beside.card);
  }
  if (beside.build_record) {
    text += fmt::format("  build record  {}\n", *beside.build_record);
  }
  return text;
}

Status info(const InfoArguments& arguments, Session& session) {
  const auto environment = make_environment(session);
  WEFT_TRY(const auto segment, environment->open_segment(arguments.target));
  Beside beside;
  WEFT_TRY(beside.card, segment->card());
  WEFT_TRY(beside.build_record, segment->build_record());
  const bool checked = segment->is_checked();
  session.print(session.options().json
                    ? info_json(segment->facts(), beside, checked)
                    : info_text(arguments.target, segment->facts(), beside, checked));
  return ok_status();
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("info", "Tell what a segment is\n\nExample: weft info base.rete");
  const auto arguments = std::make_shared<InfoArguments>();
  command->add_option("target", arguments->target, "A .rete file or URL")->required();
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return info(*arguments, s); }; });
}

}  // namespace weft::cli
