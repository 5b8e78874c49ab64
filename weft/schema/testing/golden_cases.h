// The recorded cases of the origin (omnigraph-golden), for tests.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "weft/json/value.h"

namespace weft::schema::testing {

// A folder of WEFT_TESTDATA; empty if it is absent.
inline std::string test_data(const std::string& name) {
  const char* const set = std::getenv("WEFT_TESTDATA");  // NOLINT(concurrency-mt-unsafe): tests
  const std::string folder =
      (set != nullptr ? std::string(set) : std::string(WEFT_TESTDATA_DEFAULT)) + "/" + name;
  return std::filesystem::is_directory(folder) ? folder : "";
}

inline std::string read_whole(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

// Files of a folder and those below it, by extension, in the order of their names.
inline std::vector<std::filesystem::path> files_in(const std::string& folder,
                                                   const std::string& extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == extension) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct GoldenCase {
  std::string name;  // TOPIC/NAME
  json::Value value;
};

inline std::string text_of(const json::Value* value) {
  return value == nullptr || value->as_string() == nullptr ? "" : *value->as_string();
}

inline bool truth_of(const json::Value* value) {
  return value != nullptr && value->as_boolean().value_or(false);
}

// All cases of `folder`/cases; also those that JSON's rules for surrogates refuse are left out
// (none is so far).
inline std::vector<GoldenCase> golden_cases(const std::string& folder) {
  std::vector<GoldenCase> cases;
  for (const auto& path : files_in(folder + "/cases", ".jsonl")) {
    std::istringstream lines(read_whole(path));
    std::string line;
    while (std::getline(lines, line)) {
      auto value = json::parse(line);
      if (value.ok()) {
        const std::string name = path.stem().string() + "/" + text_of(value->find("name"));
        cases.push_back({name, *std::move(value)});
      } else {
        cases.push_back({"unreadable: " + value.error().to_string(), {}});
      }
    }
  }
  return cases;
}

// Name -> schema text of the named graphs.
inline std::string fixture_schema(const json::Value& fixtures, const std::string& name) {
  const json::Value* const fixture = fixtures.find(name);
  return fixture == nullptr ? "" : text_of(fixture->find("schema"));
}

}  // namespace weft::schema::testing
