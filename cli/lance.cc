// weft lance: looks into Lance tables.

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/lance_rows.h"
#include "cli/progress.h"
#include <fmt/format.h>

#include "weft/base/process_memory.h"
#include "weft/columns/builder.h"
#include "weft/engine/lance_table.h"

namespace weft::cli {
namespace {

struct LanceArguments {
  std::string folder;
  std::optional<uint64_t> version;
  std::string branch;
  std::vector<std::string> columns;
  std::optional<uint64_t> limit;
  uint64_t offset = 0;
  std::vector<uint64_t> rows;
};

Result<std::unique_ptr<engine::LanceTable>> open_table(const LanceArguments& arguments,
                                                       Session& session) {
  engine::LanceTableOptions options;
  options.version = arguments.version;
  options.branch = arguments.branch;
  options.executor = &session.executor();
  options.memory_bytes = session.memory_bytes();
  return engine::LanceTable::open(arguments.folder, options);
}

std::string time_text(base::WallTime time) {
  columns::ArrayBuilder builder(columns::timestamp(columns::TimeUnit::kMicro, "UTC"));
  builder.append_integer(time.microseconds);
  return columns::element_text(*builder.finish(), 0);
}

std::string time_of(const lance::Manifest& manifest) {
  return manifest.timestamp ? time_text(lance::to_wall_time(*manifest.timestamp)) : "";
}

Status show_info(const LanceArguments& arguments, Session& session) {
  WEFT_TRY(const auto table, open_table(arguments, session));
  const lance::Manifest& manifest = table->snapshot().manifest();
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t physical = 0;
  for (const lance::Fragment& fragment : manifest.fragments) {
    files += fragment.files.size();
    physical += fragment.physical_rows;
    for (const lance::DataFile& file : fragment.files) {
      bytes += file.size_bytes;
    }
  }
  const uint64_t rows = table->reader().row_count();
  const size_t columns = table->reader().schema()->fields.size();
  if (session.options().json) {
    JsonText json;
    json.begin_object()
        .field("schemaVersion", uint64_t{1})
        .field("version", manifest.version)
        .field("time", std::string_view(time_of(manifest)))
        .field("fileVersion", std::string_view(manifest.file_version))
        .field("rows", rows)
        .field("rowsDeleted", physical - rows)
        .field("columns", uint64_t{columns})
        .field("fragments", uint64_t{manifest.fragments.size()})
        .field("dataFiles", files)
        .field("dataBytes", bytes)
        .field("stableRowIds", manifest.has_stable_row_ids())
        .field("readerFlags", manifest.reader_flags)
        .field("writerFlags", manifest.writer_flags)
        .end_object();
    session.print(json.text() + "\n");
    return ok_status();
  }
  session.print(fmt::format("version     {}{}\n", manifest.version,
                            manifest.timestamp ? ", " + time_of(manifest) : ""));
  session.print(fmt::format("files       {} in Lance {}\n", files, manifest.file_version));
  session.print(fmt::format("size        {}\n", readable_bytes(bytes)));
  session.print(fmt::format(
      "rows        {}{}\n", with_separators(rows),
      physical == rows ? "" : fmt::format(" ({} deleted)", with_separators(physical - rows))));
  session.print(fmt::format("columns     {}\n", columns));
  session.print(fmt::format("fragments   {}\n", manifest.fragments.size()));
  if (manifest.has_stable_row_ids()) {
    session.print(fmt::format("row ids     stable, next {}\n", manifest.next_row_id));
  }
  return ok_status();
}

Status show_schema(const LanceArguments& arguments, Session& session) {
  WEFT_TRY(const auto table, open_table(arguments, session));
  const lance::Manifest& manifest = table->snapshot().manifest();
  const columns::Schema& schema = *table->reader().schema();
  std::vector<const lance::layout::SchemaField*> top;
  for (const lance::layout::SchemaField& field : manifest.fields) {
    if (field.parent_id < 0) {
      top.push_back(&field);
    }
  }
  const std::vector<int32_t> key = lance::primary_key(manifest.fields);
  JsonText json;
  json.begin_object().field("schemaVersion", uint64_t{1}).key("fields").begin_array();
  std::string text;
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    const columns::Field& field = schema.fields[i];
    const std::string type = field.type->to_string();
    const bool in_key = std::find(key.begin(), key.end(), top[i]->id) != key.end();
    text += fmt::format("{:>5}  {:<24} {}{}{}\n", top[i]->id, field.name, type,
                        field.nullable ? "" : " not null", in_key ? " key" : "");
    json.begin_object()
        .field("id", static_cast<uint64_t>(top[i]->id))
        .field("name", std::string_view(field.name))
        .field("type", std::string_view(type))
        .field("logicalType", std::string_view(top[i]->logical_type))
        .field("nullable", field.nullable)
        .field("key", in_key)
        .end_object();
  }
  json.end_array().end_object();
  session.print(session.options().json ? json.text() + "\n" : text);
  return ok_status();
}

Status print_rows(const columns::Batch& batch, uint64_t from, uint64_t to, RowTable* table,
                  Session& session) {
  for (uint64_t row = from; row < to; ++row) {
    if (table != nullptr) {
      table->add(batch, row);
    } else {
      session.print(json_row(batch, row) + "\n");
    }
  }
  return ok_status();
}

// As a table people see some rows; --limit asks for more, --json gives all, one line each.
constexpr uint64_t kRowsShown = 20;
constexpr uint64_t kRowsInTableMax = 100'000;

Status show_rows(const LanceArguments& arguments, Session& session) {
  WEFT_TRY(const auto table, open_table(arguments, session));
  WEFT_TRY(const auto scan, table->reader().scan(arguments.columns));
  const bool json = session.options().json;
  uint64_t left = arguments.limit.value_or(json ? ~uint64_t{0} : kRowsShown);
  if (!json && left > kRowsInTableMax) {
    return Error(ErrorKind::kLimit, "too many rows for a table; --json prints any number")
        .with("limit", left)
        .with("limit_max", kRowsInTableMax);
  }
  uint64_t skip = arguments.offset;
  std::optional<RowTable> shown;
  while (left != 0) {
    WEFT_TRY(const std::optional<lance::TableRows> rows, scan->next(session.stop()));
    if (!rows) {
      break;
    }
    if (!json && !shown) {
      shown.emplace(*rows->batch.schema());
    }
    const uint64_t count = rows->batch.row_count();
    const uint64_t from = std::min(skip, count);
    const uint64_t to = from + std::min(left, count - from);
    WEFT_TRY_STATUS(print_rows(rows->batch, from, to, shown ? &*shown : nullptr, session));
    skip -= from;
    left -= to - from;
  }
  if (shown) {
    session.print(shown->text());
  }
  if (!json) {
    session.note(fmt::format("{} rows in version {}", with_separators(table->reader().row_count()),
                             table->snapshot().version()));
  }
  return ok_status();
}

Status take_rows(const LanceArguments& arguments, Session& session) {
  WEFT_TRY(const auto table, open_table(arguments, session));
  WEFT_TRY(const columns::Batch batch,
           table->reader().take(arguments.columns, arguments.rows, session.stop()));
  if (session.options().json) {
    return print_rows(batch, 0, batch.row_count(), nullptr, session);
  }
  RowTable shown(*batch.schema());
  WEFT_TRY_STATUS(print_rows(batch, 0, batch.row_count(), &shown, session));
  session.print(shown.text());
  return ok_status();
}

Status show_versions(const LanceArguments& arguments, Session& session) {
  WEFT_TRY(const auto table, open_table(arguments, session));
  WEFT_TRY(const lance::VersionList list, table->versions());
  JsonText json;
  json.begin_object().field("schemaVersion", uint64_t{1}).key("versions").begin_array();
  std::string text;
  for (const lance::VersionEntry& entry : list.versions) {
    const std::string time = time_text(entry.stored);
    json.begin_object()
        .field("version", entry.version)
        .field("stored", std::string_view(time))
        .field("bytes", entry.size_bytes)
        .end_object();
    text += fmt::format("{:>8}  {}  {}\n", entry.version, time, readable_bytes(entry.size_bytes));
  }
  json.end_array().field("detached", uint64_t{list.detached.size()}).end_object();
  session.print(session.options().json ? json.text() + "\n" : text);
  if (!list.detached.empty() && !session.options().json) {
    session.note(fmt::format("and {} detached versions", list.detached.size()));
  }
  return ok_status();
}

Status verify_table(const LanceArguments& arguments, Session& session) {
  WEFT_TRY(const auto table, open_table(arguments, session));
  WEFT_TRY(const lance::TableVerification found, table->reader().verify(session.stop()));
  if (session.options().json) {
    JsonText json;
    json.begin_object()
        .field("schemaVersion", uint64_t{1})
        .field("ok", true)
        .field("version", table->snapshot().version())
        .field("fragments", found.fragments)
        .field("dataFiles", found.data_files)
        .field("deletionFiles", found.deletion_files)
        .field("rows", found.rows)
        .field("rowsDeleted", found.rows_deleted)
        .field("bytes", found.bytes)
        .end_object();
    session.print(json.text() + "\n");
    return ok_status();
  }
  session.print(fmt::format(
      "OK: version {}, {} rows ({} deleted), {} fragments, {} data files, {}\n",
      table->snapshot().version(), with_separators(found.rows), with_separators(found.rows_deleted),
      found.fragments, found.data_files, readable_bytes(found.bytes)));
  return ok_status();
}

using Show = Status (*)(const LanceArguments&, Session&);

CLI::App* add_command(CLI::App& group, const char* name, const char* what,
                      const std::shared_ptr<LanceArguments>& arguments, Show show, Action& action) {
  CLI::App* const command = group.add_subcommand(
      name, fmt::format("{}\n\nExample: weft lance {} people.lance", what, name));
  command
      ->add_option("folder", arguments->folder,
                   "The folder of a Lance table, or with --version its URL")
      ->required();
  command->add_option("--branch", arguments->branch, "A branch of the table instead of main");
  command->callback([arguments, show, &action] {
    action = [arguments, show](Session& session) {
      base::keep_freed_memory();
      return show(*arguments, session);
    };
  });
  return command;
}

}  // namespace

void add_lance(CLI::App& app, Action& action) {
  CLI::App* const group =
      app.add_subcommand("lance",
                         "Look into Lance tables\n\n"
                         "  weft lance info people.lance\n"
                         "  weft lance scan people.lance --columns id,name --limit 10");
  group->require_subcommand(1);
  const auto arguments = std::make_shared<LanceArguments>();
  const auto with_version = [&](CLI::App* command) {
    command->add_option("--version", arguments->version, "This version (default: the latest)");
    return command;
  };
  const auto with_columns = [&](CLI::App* command) {
    command->add_option("--columns", arguments->columns, "These columns, separated by commas")
        ->delimiter(',');
    return command;
  };
  with_version(add_command(*group, "info", "What a table is: version, size, rows, fragments",
                           arguments, show_info, action));
  with_version(add_command(*group, "schema", "The columns of a table: field id, name and type",
                           arguments, show_schema, action));
  CLI::App* const scan = with_columns(with_version(add_command(
      *group, "scan", "Print rows (with --json one line each)", arguments, show_rows, action)));
  scan->add_option("--limit", arguments->limit, "At most so many rows (default: 20; --json: all)");
  scan->add_option("--offset", arguments->offset, "Leave out so many rows first");
  CLI::App* const take = with_columns(with_version(add_command(
      *group, "take", "Print the rows at these positions", arguments, take_rows, action)));
  take->add_option("--rows", arguments->rows, "Positions from 0, separated by commas")
      ->delimiter(',')
      ->required();
  add_command(*group, "versions", "List the versions of a table", arguments, show_versions, action);
  with_version(add_command(*group, "verify",
                           "Check every structure and decode every page of a version", arguments,
                           verify_table, action));
}

}  // namespace weft::cli
