// A folder of its own for one test, removed with all that is in it afterwards.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weft/base/check.h"

namespace weft::storage {

class TestFolder {
 public:
  TestFolder() {
    const char* parent = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): tests only
    path_ = std::string(parent != nullptr ? parent : "/tmp") + "/weft-test-XXXXXX";
    WEFT_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    constexpr int kDescriptorsMax = 16;
    ::nftw(
        path_.c_str(),
        [](const char* path, const struct stat*, int, FTW*) { return std::remove(path); },
        kDescriptorsMax, FTW_DEPTH | FTW_PHYS);
  }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace weft::storage
