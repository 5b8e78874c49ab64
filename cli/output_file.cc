#include "cli/output_file.h"

#include <unistd.h>

#include "weft/rdfio/input.h"
#include "weft/storage/local_file.h"

namespace weft::cli {
namespace {

class StandardOutput final : public OutputFile {
 public:
  codec::OutputStream& stream() override { return output_; }
  Status publish() override { return ok_status(); }

 private:
  rdfio::DescriptorOutput output_{STDOUT_FILENO};
};

class FileOutput final : public OutputFile, public codec::OutputStream {
 public:
  FileOutput(std::string path, std::unique_ptr<storage::ObjectWriter> writer)
      : path_(std::move(path)), writer_(std::move(writer)) {}

  codec::OutputStream& stream() override { return *this; }
  Status write(ByteView bytes) override { return writer_->append(bytes); }
  Status publish() override {
    WEFT_TRY(const storage::PutOutcome outcome, writer_->publish());
    if (outcome == storage::PutOutcome::kLost) {
      return Error(ErrorKind::kAlreadyExists, "output appeared meanwhile").with("file", path_);
    }
    return ok_status();
  }

 private:
  std::string path_;
  std::unique_ptr<storage::ObjectWriter> writer_;
};

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::open(const std::string& path, bool replace) {
  if (path == "-") {
    return std::unique_ptr<OutputFile>(std::make_unique<StandardOutput>());
  }
  const auto if_exists = replace ? storage::IfExists::kReplace : storage::IfExists::kRefuse;
  WEFT_TRY(auto writer, storage::create_local_file(path, if_exists));
  return std::unique_ptr<OutputFile>(std::make_unique<FileOutput>(path, std::move(writer)));
}

}  // namespace weft::cli
