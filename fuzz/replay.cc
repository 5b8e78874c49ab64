// Feeds every file of the given folders to a fuzz target, once: a main() for builds without
// libFuzzer. usage: NAME_fuzz FOLDER...      exit 0: all ran, 2: a folder is missing or has fewer
// than ten files
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kCorpusFilesMin = 10;

std::vector<char> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Returns the number of files that were replayed.
size_t replay_folder(const std::filesystem::path& folder) {
  size_t count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.is_regular_file()) {
      continue;
    }
    const std::vector<char> bytes = read_file(entry.path());
    // A copy of exactly the input's size, so that the address sanitizer sees a read past its end.
    const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const size_t count = replay_folder(argv[i]);
    std::printf("%s: %zu inputs replayed\n", argv[i], count);
    if (count < kCorpusFilesMin) {
      std::fprintf(stderr, "%s: a corpus has at least %zu files\n", argv[i], kCorpusFilesMin);
      return 2;
    }
  }
  return 0;
}
