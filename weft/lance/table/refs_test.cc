#include "weft/lance/table/refs.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "weft/lance/table/cleanup.h"
#include "weft/lance/table/testing/table_probe.h"

namespace weft::lance {
namespace {

TEST(Refs, TagsAreMadeFoundAndDeleted) {
  TableProbe probe;
  const Snapshot first = probe.create(1);
  ASSERT_TRUE(create_tag(first, "v1", probe.options()).ok());
  EXPECT_EQ(create_tag(first, "v1", probe.options()).error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(find_tag(probe.table, "v1")->version, 1U);
  EXPECT_EQ(list_tags(probe.table)->size(), 1U);
  ASSERT_TRUE(delete_tag(probe.table, "v1").ok());
  EXPECT_EQ(delete_tag(probe.table, "v1").error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(create_tag(first, "a/b", probe.options()).error().kind(), ErrorKind::kInvalid);
}

TEST(Refs, ABranchGoesItsOwnWay) {
  TableProbe probe;
  Snapshot main = probe.create(2, true);
  main = probe.commit_new(main, AppendOperation{{probe.fragment(3)}});
  const auto made = create_branch(main, "feature/x", probe.options());
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  EXPECT_EQ(made->version(), 2U);
  EXPECT_EQ(made->manifest().branch, "feature/x");
  EXPECT_EQ(made->manifest().reader_flags & flags::kBasePaths, flags::kBasePaths);
  const Fragment& inherited = made->manifest().fragments.at(0);
  EXPECT_EQ(made->data_file_name(inherited.files[0]).value(),
            main.data_file_name(main.manifest().fragments[0].files[0]).value());
  const Snapshot third = probe.commit_new(
      *made, AppendOperation{{probe.fragment(7, {0, 1}, nullptr, made->location().folder())}});
  EXPECT_EQ(third.version(), 3U);
  EXPECT_EQ(third.manifest().row_count(), 12U);
  EXPECT_EQ(open_latest(probe.table)->version(), 2U);
  EXPECT_EQ(third.data_file_name(third.manifest().fragments.back().files[0])
                ->rfind("people.lance/tree/feature/x/data/", 0),
            0U);
  // A branch of the branch keeps the bases of what it inherits.
  const auto below = create_branch(third, "y", probe.options());
  ASSERT_TRUE(below.ok()) << below.error().to_string();
  EXPECT_EQ(below->manifest().base_paths.size(), 2U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(below->data_file_name(below->manifest().fragments[i].files[0]).value(),
              third.data_file_name(third.manifest().fragments[i].files[0]).value());
  }
  EXPECT_EQ(find_branch(probe.table, "y")->lives.size(), 2U);
  EXPECT_EQ(find_branch(probe.table, "y")->parent, "feature/x");
  EXPECT_EQ(delete_branch(probe.table, "feature/x").error().kind(), ErrorKind::kConflict);
  ASSERT_TRUE(delete_branch(probe.table, "y").ok());
  ASSERT_TRUE(delete_branch(probe.table, "feature/x").ok());
  EXPECT_TRUE(list_branches(probe.table)->empty());
  EXPECT_TRUE(probe.store.list("people.lance/tree/", true).value().empty());
  EXPECT_TRUE(create_branch(main, "feature/x", probe.options()).ok());
}

TEST(Refs, LeftoversOfAnUnfinishedCreationAreTakenOver) {
  TableProbe probe;
  const Snapshot main = probe.create(2);
  const auto staged = stage_branch(main, "b", probe.options()).value();
  ASSERT_TRUE(put_staged(probe.store, staged.objects).ok());
  ASSERT_TRUE(probe.store.put_if_absent(staged.head_name, as_bytes(staged.head)).ok());
  const auto made = create_branch(main, "b", probe.options());
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  EXPECT_EQ(create_branch(main, "b", probe.options()).error().kind(), ErrorKind::kAlreadyExists);
}

TEST(Refs, LeftoversOfADeletedBranchAreRemoved) {
  TableProbe probe;
  Snapshot main = probe.create(2);
  const Snapshot branch = create_branch(main, "b", probe.options()).value();
  probe.commit_new(
      branch, AppendOperation{{probe.fragment(1, {0, 1}, nullptr, branch.location().folder())}});
  // Deleting stopped behind the ref.
  ASSERT_TRUE(probe.store.remove("people.lance/_refs/branches/b.json").ok());
  main = probe.commit_new(main, AppendOperation{{probe.fragment(4)}});
  const Snapshot again = create_branch(main, "b", probe.options()).value();
  EXPECT_EQ(again.version(), 2U);
  EXPECT_EQ(open_latest(again.location())->manifest().row_count(), 6U);
}

TEST(Refs, ThoseOfTheEnginesAreRead) {
  const std::string folder = golden_folder("branches_22");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/lance-golden is absent: no branches of engines are read";
  }
  const auto store = storage::open_local_store(folder).value();
  const TableLocation table{store.get(), "", ""};
  EXPECT_EQ(list_tags(table)->size(), 3U);
  const auto branches = list_branches(table).value();
  ASSERT_EQ(branches.size(), 2U);
  EXPECT_EQ(branches[1].parent, "feature/x");
  EXPECT_EQ(branches[1].lives.size(), 2U);
  for (const Branch& branch : branches) {
    TableLocation location = table;
    location.branch = branch.name;
    const auto snapshot = open_latest(location);
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().to_string();
    // Base paths are relative there, as an engine left them: files are found all the same.
    for (const Fragment& fragment : snapshot->manifest().fragments) {
      for (const DataFile& file : fragment.files) {
        const auto name = snapshot->data_file_name(file);
        ASSERT_TRUE(name.ok()) << name.error().to_string();
        EXPECT_TRUE(store->open(*name).ok()) << *name;
      }
    }
  }
}

CleanupOptions everything_old(const TableProbe& probe) {
  CleanupOptions options;
  options.keep_since = {probe.clock.microseconds + 1};
  options.put_before = {probe.clock.microseconds};
  return options;
}

TEST(Cleanup, OldVersionsAndWhatOnlyTheyNamedGo) {
  TableProbe probe;
  Snapshot snapshot = probe.create(2);
  const std::string first_file =
      snapshot.data_file_name(snapshot.manifest().fragments[0].files[0]).value();
  OverwriteOperation overwrite;
  overwrite.schema = snapshot.manifest().fields;
  overwrite.fragments = {probe.fragment(3)};
  snapshot = probe.commit_new(snapshot, overwrite);
  CleanupOptions options = everything_old(probe);
  options.dry_run = true;
  const CleanupReport dry = clean_table(probe.table, options).value();
  EXPECT_TRUE(probe.store.open(first_file).ok());
  options.dry_run = false;
  const CleanupReport report = clean_table(probe.table, options).value();
  EXPECT_EQ(report.removed, dry.removed);
  EXPECT_EQ(report.versions_kept, 1U);
  EXPECT_FALSE(probe.store.open(first_file).ok());
  EXPECT_EQ(open_version(probe.table, 1).error().kind(), ErrorKind::kNotFound);
  for (const std::string& name : reachable_files(snapshot).value()) {
    if (!name.ends_with('/') && name.find("_weft/") == std::string::npos) {
      EXPECT_TRUE(probe.store.open(name).ok()) << name;
    }
  }
}

TEST(Cleanup, YoungAndForeignFilesStay) {
  TableProbe probe;
  probe.create(2);
  const int64_t then = probe.clock.microseconds;
  probe.clock.microseconds += 1'000'000;
  const Fragment young = probe.fragment(1);
  for (const char* name : {"data/note.txt", "_other/x.lance", "x.lance", "_refs/other/x.json"}) {
    ASSERT_TRUE(probe.store.put_if_absent(probe.table.object(name), as_bytes("x")).ok());
  }
  CleanupOptions options = everything_old(probe);
  options.put_before = {then};
  EXPECT_TRUE(clean_table(probe.table, options)->removed.empty());
  options.put_before = {probe.clock.microseconds};
  EXPECT_EQ(clean_table(probe.table, options)->removed,
            std::vector<std::string>{"people.lance/data/" + young.files[0].path});
}

TEST(Cleanup, SidecarsOfLiveDataFilesStay) {
  TableProbe probe;
  const Snapshot snapshot = probe.create(2);
  const std::string path = snapshot.manifest().fragments[0].files[0].path;
  const std::string sidecar =
      probe.table.object("data/" + path.substr(0, path.rfind('.')) + "/1000.blob");
  ASSERT_TRUE(probe.store.put_if_absent(sidecar, as_bytes("blob")).ok());
  ASSERT_TRUE(
      probe.store.put_if_absent(probe.table.object("data/gone/1000.blob"), as_bytes("b")).ok());
  EXPECT_EQ(clean_table(probe.table, everything_old(probe))->removed,
            std::vector<std::string>{"people.lance/data/gone/1000.blob"});
}

TEST(Cleanup, NothingGoesIfAVersionCannotBeRead) {
  TableProbe probe;
  Snapshot snapshot = probe.create(2);
  probe.fragment(1);
  ASSERT_TRUE(probe.store.put_if_absent(probe.table.object(manifest_name(2)), as_bytes("x")).ok());
  EXPECT_EQ(clean_table(probe.table, everything_old(probe)).error().kind(), ErrorKind::kCorrupt);
}

// An independent oracle: the names of files that may be needed, gathered while they are made.
struct Life {
  TableProbe probe;
  base::Random random;
  std::map<std::string, Snapshot> heads;                                     // by branch
  std::map<std::pair<std::string, uint64_t>, std::set<std::string>> needed;  // by version
  std::map<std::string, std::pair<std::string, uint64_t>> tags;
  std::map<std::string, std::pair<std::string, uint64_t>> branch_points;
  std::map<std::pair<std::string, uint64_t>, int64_t> made_at;
  std::set<std::pair<std::string, uint64_t>> detached;
  int names = 0;

  explicit Life(uint64_t seed) : random(seed) {}

  void know(const Snapshot& snapshot, std::set<std::string> files) {
    const std::pair key(snapshot.location().branch, snapshot.version());
    files.insert(snapshot.location().object(manifest_name(snapshot.version())));
    needed[key] = std::move(files);
    made_at[key] = probe.clock.microseconds;
  }
  std::string pick() {
    auto at = heads.begin();
    std::advance(at, static_cast<ptrdiff_t>(random.below(heads.size())));
    return at->first;
  }
  // The data files that the head needs, by the oracle's own account.
  std::set<std::string> files_of(const std::string& branch) {
    std::set<std::string> files = needed.at({branch, heads.at(branch).version()});
    std::erase_if(files, [](const std::string& name) { return name.ends_with(".manifest"); });
    return files;
  }

  void write() {
    const std::string branch = pick();
    const Snapshot base = heads.at(branch);
    const std::string folder = base.location().folder();
    const Fragment fragment = probe.fragment(1 + random.below(5), {0, 1}, nullptr, folder);
    std::set<std::string> files;
    Operation operation = AppendOperation{{fragment}};
    if (random.chance(1, 3)) {
      OverwriteOperation overwrite;
      overwrite.schema = base.manifest().fields;
      overwrite.fragments = {fragment};
      operation = overwrite;
    } else {
      files = files_of(branch);
    }
    files.insert(folder + "/data/" + fragment.files[0].path);
    const auto staged = probe.stage(base, std::move(operation)).value();
    if (random.chance(1, 4)) {  // left detached
      ASSERT_TRUE(put_staged(probe.store, staged.objects_detached()).ok());
      const std::pair key(branch, staged.detached_version);
      files.insert(staged.detached_name);
      needed[key] = std::move(files);
      detached.insert(key);
      return;
    }
    const CommitResult result = commit(staged, probe.commit_options()).value();
    ASSERT_EQ(result.outcome, CommitOutcome::kCommitted);
    heads.insert_or_assign(branch, *result.snapshot);
    know(*result.snapshot, std::move(files));
  }
  void branch() {
    const std::string from = pick();
    const std::string name = "b" + std::to_string(names++);
    const auto made = create_branch(heads.at(from), name, probe.options());
    ASSERT_TRUE(made.ok()) << made.error().to_string();
    heads.insert_or_assign(name, *made);
    branch_points[name] = {from, made->version()};
    know(*made, files_of(from));
  }
  void drop_branch() {
    const std::string name = pick();
    if (!name.empty() && delete_branch(probe.table, name).ok()) {
      heads.erase(name);
      branch_points.erase(name);
      std::erase_if(needed, [&](const auto& entry) { return entry.first.first == name; });
      std::erase_if(detached, [&](const auto& key) { return key.first == name; });
    }
  }
  void tag() {
    const std::string branch = pick();
    const std::string name = "t" + std::to_string(names++);
    ASSERT_TRUE(create_tag(heads.at(branch), name, probe.options()).ok());
    tags[name] = {branch, heads.at(branch).version()};
  }
  void drop_tag() {
    if (!tags.empty()) {
      ASSERT_TRUE(delete_tag(probe.table, tags.begin()->first).ok());
      tags.erase(tags.begin());
    }
  }
  void clean() {
    CleanupOptions options;
    const int64_t window = static_cast<int64_t>(random.below(20'000));
    options.keep_since = {probe.clock.microseconds - window};
    options.put_before = {probe.clock.microseconds - static_cast<int64_t>(random.below(3'000))};
    if (!detached.empty() && random.chance(1, 2)) {
      options.drop_detached.insert(*detached.begin());
    }
    const auto report = clean_table(probe.table, options);
    ASSERT_TRUE(report.ok()) << report.error().to_string();
    std::set<std::string> live;
    std::set<std::pair<std::string, uint64_t>> given_up;
    for (const auto& [key, files] : needed) {
      const bool kept =
          (detached.contains(key) ? !options.drop_detached.contains(key) : false) ||
          (heads.contains(key.first) && heads.at(key.first).version() == key.second) ||
          (made_at.contains(key) && made_at.at(key) >= options.keep_since.microseconds) ||
          std::any_of(tags.begin(), tags.end(),
                      [&](const auto& entry) { return entry.second == key; }) ||
          std::any_of(branch_points.begin(), branch_points.end(),
                      [&](const auto& entry) { return entry.second == key; });
      if (kept) {
        live.insert(files.begin(), files.end());
      } else {
        given_up.insert(key);
      }
    }
    for (const std::string& name : report->removed) {
      EXPECT_FALSE(live.contains(name)) << name;
    }
    for (const std::string& name : live) {
      EXPECT_TRUE(probe.store.open(name).ok()) << name;
    }
    // What a clean may take is not asked for again, whether it took it or not.
    for (const auto& key : given_up) {
      needed.erase(key);
      detached.erase(key);
    }
  }
  void step() {
    probe.clock.microseconds += static_cast<int64_t>(random.below(2'000));
    switch (random.below(12)) {
      case 0:
        return branch();
      case 1:
        return drop_branch();
      case 2:
        return tag();
      case 3:
        return drop_tag();
      case 4:
      case 5:
        return clean();
      default:
        return write();
    }
  }
};

TEST(Cleanup, NeverRemovesWhatCanBeReached) {
  const char* const from_environment =
      std::getenv("WEFT_CLEANUP_SEEDS");  // NOLINT(concurrency-mt-unsafe)
  const uint64_t seeds = from_environment != nullptr ? std::stoull(from_environment) : 200;
  for (uint64_t seed = 0; seed < seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Life life(seed);
    const Snapshot first = life.probe.create(2);
    life.heads.insert_or_assign("", first);
    life.know(first, {"people.lance/data/" + first.manifest().fragments[0].files[0].path});
    for (int step = 0; step < 40; ++step) {
      life.step();
    }
    life.clean();
  }
}

}  // namespace
}  // namespace weft::lance
