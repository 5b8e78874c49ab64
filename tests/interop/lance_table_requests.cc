// Whole tables for the tests in Python. Every request names FOLDER BRANCH first, in hexadecimal
// ("-" for none), and answers the version that it made, if it made one. Lists of names are in
// hexadecimal, with commas. FIELDS and BATCHES are counts; the fields and batches follow the line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tests/interop/lance_request_table.h"
#include "tests/interop/lance_requests.h"
#include "tests/interop/lance_wire.h"

#include "weft/columns/builder.h"
#include "weft/columns/select.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/rows/table_reader.h"
#include "weft/lance/table/cleanup.h"
#include "weft/lance/table/refs.h"

namespace weft::interop {
namespace {

void mark_keys(std::vector<lance::layout::SchemaField>& fields,
               const std::vector<std::string>& keys) {
  for (size_t i = 0; i < keys.size(); ++i) {
    for (lance::layout::SchemaField& field : fields) {
      if (field.parent_id < 0 && field.name == keys[i]) {
        field.unenforced_primary_key = true;
        field.unenforced_primary_key_position = i + 1;
        field.metadata.emplace_back("lance-schema:unenforced-primary-key:position",
                                    std::to_string(i + 1));
      }
    }
  }
}

// create … FILE_VERSION STABLE KEYS FIELDS BATCHES
Status create(const Words& words) {
  WEFT_TRY(Rows rows, read_rows(words[6], words[7]));
  WEFT_TRY(const auto table, open_table(words, true));
  mark_keys(rows.fields, names(words[5]));
  lance::RowOptions options = table->options();
  lance::NewTable made;
  made.location = table->location;
  made.file_version = words[3];
  made.stable_row_ids = words[4] == "1";
  lance::RowWriter writer(table->location, made.file_version, options.stage, rows.fields,
                          options.write);
  for (const columns::Batch& batch : rows.batches) {
    WEFT_TRY_STATUS(writer.append(batch));
  }
  WEFT_TRY(made.fragments, writer.finish());
  made.schema = std::move(rows.fields);
  WEFT_TRY(const StagedTransaction staged, lance::stage_new_table(std::move(made), options.stage));
  WEFT_TRY(const lance::CommitResult result, lance::commit(staged, {options.stage, 0, false}));
  if (result.outcome != lance::CommitOutcome::kCommitted) {
    return Error(ErrorKind::kAlreadyExists, "table exists");
  }
  print_ok("1");
  return {};
}

// append … FOLD FIELDS BATCHES
Status append(const Words& words) {
  WEFT_TRY(const Rows rows, read_rows(words[4], words[5]));
  WEFT_TRY(const auto table, open_table(words));
  lance::RowOptions options = table->options();
  options.fold = words[3] == "1";
  return table->commit(
      [&](const Snapshot& base) { return lance::stage_append(base, rows.batches, options); });
}

// overwrite … FIELDS BATCHES
Status overwrite(const Words& words) {
  WEFT_TRY(const Rows rows, read_rows(words[3], words[4]));
  WEFT_TRY(const auto table, open_table(words));
  const lance::RowOptions options = table->options();
  return table->commit([&](const Snapshot& base) -> Result<StagedTransaction> {
    lance::RowWriter writer(table->location, base.manifest().file_version, options.stage,
                            rows.fields, options.write);
    for (const columns::Batch& batch : rows.batches) {
      WEFT_TRY_STATUS(writer.append(batch));
    }
    lance::OverwriteOperation operation;
    WEFT_TRY(operation.fragments, writer.finish());
    operation.schema = rows.fields;
    return lance::Stage(base, options.stage).finish(std::move(operation));
  });
}

// upsert … KEYS INSERT_ONLY FIELDS BATCHES
Status upsert(const Words& words) {
  WEFT_TRY(const Rows rows, read_rows(words[5], words[6]));
  WEFT_TRY(const auto table, open_table(words));
  const lance::UpsertOptions keys{names(words[3]), words[4] == "1"};
  return table->commit([&](const Snapshot& base) {
    return lance::stage_upsert(base, rows.batches.at(0), keys, table->options());
  });
}

// delete … KEYS FIELDS BATCHES: rows by the keys of one batch; who is not there is passed over
Status remove(const Words& words) {
  WEFT_TRY(const Rows rows, read_rows(words[4], words[5]));
  WEFT_TRY(const auto table, open_table(words));
  const lance::RowOptions options = table->options();
  return table->commit([&](const Snapshot& base) -> Result<StagedTransaction> {
    return lance::stage_delete_keys(base, rows.batches.at(0), names(words[3]), options);
  });
}

// add_columns … FIELDS
Status add_columns(const Words& words) {
  const std::vector<lance::layout::SchemaField> fields = read_fields(number(words[3]));
  WEFT_TRY(const columns::Schema schema, lance::layout::column_schema(fields));
  WEFT_TRY(const auto table, open_table(words));
  return table->commit([&](const Snapshot& base) {
    return lance::stage_add_columns(base, schema, table->options());
  });
}

// merge … KEYS FIELDS BATCHES: new columns, their values by the keys of one batch
Status merge(const Words& words) {
  WEFT_TRY(const Rows rows, read_rows(words[4], words[5]));
  WEFT_TRY(const auto table, open_table(words));
  const lance::RowOptions options = table->options();
  return table->commit([&](const Snapshot& base) -> Result<StagedTransaction> {
    return lance::stage_merge(base, rows.batches.at(0), names(words[3]), options);
  });
}

// drop_columns … NAMES
Status drop_columns(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  return table->commit([&](const Snapshot& base) {
    return lance::stage_drop_columns(base, names(words[3]), table->options());
  });
}

// compact … ROWS_PER_FRAGMENT. Answers 0 if there is nothing to do.
Status compact(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  const lance::RowOptions options = table->options();
  for (uint64_t attempt = 0; attempt < kAttemptsMax; ++attempt) {
    WEFT_TRY(const Snapshot base, lance::open_latest(table->location));
    WEFT_TRY(const auto staged, lance::stage_compaction(base, {number(words[3]), 10}, options));
    if (!staged) {
      print_ok("0");
      return {};
    }
    WEFT_TRY(const lance::CommitResult result, lance::commit(*staged, {options.stage, 100, true}));
    if (result.outcome == lance::CommitOutcome::kCommitted) {
      print_ok(std::to_string(result.snapshot->version()));
      return {};
    }
  }
  return Error(ErrorKind::kUnavailable, "the table changes all the time");
}

// restore … VERSION
Status restore(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  return table->commit([&](const Snapshot& base) {
    return lance::Stage(base, table->options().stage)
        .finish(lance::RestoreOperation{number(words[3])});
  });
}

// branch … VERSION NAME; the same for tag
Status make_branch(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  WEFT_TRY(const Snapshot from, table->at(words[3]));
  WEFT_TRY(const Snapshot made, lance::create_branch(from, text(words[4]), table->options().stage));
  print_ok(std::to_string(made.version()));
  return {};
}
Status make_tag(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  WEFT_TRY(const Snapshot from, table->at(words[3]));
  WEFT_TRY_STATUS(lance::create_tag(from, text(words[4]), table->options().stage));
  print_ok(std::to_string(from.version()));
  return {};
}

// drop_branch … NAME; the same for drop_tag
Status drop_branch(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  WEFT_TRY_STATUS(lance::delete_branch(table->location, text(words[3])));
  print_ok("0");
  return {};
}
Status drop_tag(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  WEFT_TRY_STATUS(lance::delete_tag(table->location, text(words[3])));
  print_ok("0");
  return {};
}

// refs …: a line of tags "name(hex) branch(hex) version", then one of branches "name parent
// version"
Status refs(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  WEFT_TRY(const std::vector<lance::Tag> tags, lance::list_tags(table->location));
  WEFT_TRY(const std::vector<lance::Branch> branches, lance::list_branches(table->location));
  std::string answer = std::to_string(tags.size());
  for (const lance::Tag& tag : tags) {
    answer += " " + tag.name + " " + (tag.branch.empty() ? "-" : tag.branch) + " " +
              std::to_string(tag.version);
  }
  for (const lance::Branch& branch : branches) {
    answer += " " + branch.name + " " + (branch.parent.empty() ? "-" : branch.parent) + " " +
              std::to_string(branch.parent_version);
  }
  print_ok(answer);
  return {};
}

// clean … : all that no kept version reaches, however young. Answers how many files went.
Status clean(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  lance::CleanupOptions options;
  options.keep_since = {table->clock.now().microseconds};
  options.put_before = {table->clock.now().microseconds + 60'000'000};
  WEFT_TRY(const lance::CleanupReport report, lance::clean_table(table->location, options));
  print_ok(std::to_string(report.removed.size()));
  return {};
}

Result<columns::Batch> all_rows(lance::TableReader& reader,
                                const std::vector<std::string>& wanted) {
  WEFT_TRY(const auto scan, reader.scan(wanted));
  std::vector<columns::Batch> batches;
  while (true) {
    WEFT_TRY(std::optional<lance::TableRows> rows, scan->next());
    if (!rows) {
      break;
    }
    batches.push_back(std::move(rows->batch));
  }
  if (batches.empty()) {
    return reader.take(wanted, {});
  }
  std::vector<columns::ArrayPtr> arrays;
  uint64_t count = 0;
  for (const columns::Batch& batch : batches) {
    count += batch.row_count();
  }
  for (size_t i = 0; i < batches[0].column_count(); ++i) {
    std::vector<columns::ArrayPtr> parts;
    for (const columns::Batch& batch : batches) {
      parts.push_back(batch.column(i));
    }
    WEFT_TRY(columns::ArrayPtr array, columns::concat(parts));
    arrays.push_back(std::move(array));
  }
  return columns::Batch::make(batches[0].schema(), std::move(arrays), count);
}

// dump … VERSION COLUMNS ROWS: the version ("-": the latest), these columns (all), the rows at
// these positions (all). Answers version, fragments, rows and the number of fields; the fields and
// arrays follow.
Status dump(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  WEFT_TRY(const Snapshot snapshot, table->at(words[3]));
  lance::read::ReadOptions options;
  options.executor = &table->executor;
  WEFT_TRY(const auto reader, lance::TableReader::open(snapshot, options));
  const std::vector<std::string> wanted = names(words[4]);
  std::optional<columns::Batch> rows;
  if (words[5] == "-") {
    WEFT_TRY(rows, all_rows(*reader, wanted));
  } else {
    std::vector<uint64_t> positions;
    for (size_t from = 0; from < words[5].size();) {
      const size_t end = std::min(words[5].find(',', from), words[5].size());
      positions.push_back(number(words[5].substr(from, end - from)));
      from = end + 1;
    }
    WEFT_TRY(rows, reader->take(wanted, positions));
  }
  for (const columns::ArrayPtr& array : rows->columns()) {
    WEFT_TRY_STATUS(array->check());
  }
  WEFT_TRY(const std::vector<lance::layout::SchemaField> fields,
           lance::layout::schema_fields(*rows->schema()));
  print_ok(std::to_string(snapshot.version()) + " " +
           std::to_string(snapshot.manifest().fragments.size()) + " " +
           std::to_string(rows->row_count()) + " " + std::to_string(fields.size()));
  write_fields(fields);
  for (const columns::ArrayPtr& array : rows->columns()) {
    write_array(array);
  }
  return {};
}

// verify … VERSION. Answers the rows.
Status verify(const Words& words) {
  WEFT_TRY(const auto table, open_table(words));
  WEFT_TRY(const Snapshot snapshot, table->at(words[3]));
  WEFT_TRY(const auto reader, lance::TableReader::open(snapshot));
  WEFT_TRY(const lance::TableVerification found, reader->verify());
  print_ok(std::to_string(found.rows));
  return {};
}

}  // namespace

const std::map<std::string, Request>& table_requests() {
  static const std::map<std::string, Request> kRequests = {
      {"create", create},
      {"append", append},
      {"overwrite", overwrite},
      {"upsert", upsert},
      {"delete", remove},
      {"add_columns", add_columns},
      {"merge", merge},
      {"drop_columns", drop_columns},
      {"compact", compact},
      {"restore", restore},
      {"branch", make_branch},
      {"tag", make_tag},
      {"drop_branch", drop_branch},
      {"drop_tag", drop_tag},
      {"refs", refs},
      {"clean", clean},
      {"dump", dump},
      {"verify", verify},
  };
  return kRequests;
}

}  // namespace weft::interop
