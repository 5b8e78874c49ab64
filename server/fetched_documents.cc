#include "server/fetched_documents.h"

#include <utility>
#include <variant>
#include <vector>

#include "server/body_store.h"

namespace weft::server {
namespace {

constexpr size_t kPieceBytes = size_t{256} << 10U;

Status copy(codec::InputStream& input, UnnamedFile& file, uint64_t bytes_max,
            const std::stop_token& stop) {
  std::vector<std::byte> piece(kPieceBytes);
  for (;;) {
    WEFT_TRY(const size_t count, input.read(piece));
    if (count == 0) {
      return ok_status();
    }
    if (stop.stop_requested()) {
      return Error(ErrorKind::kCancelled, "stopped on request");
    }
    if (file.size() + count > bytes_max) {
      return Error(ErrorKind::kLimit, "the document of a LOAD is too long")
          .with("limit", "max-body, times 16")
          .with("max_bytes", bytes_max);
    }
    WEFT_TRY_STATUS(file.write(file.size(), ByteView(piece).first(count)));
  }
}

}  // namespace

Status FetchedDocuments::fetch(const sparql::Update& request, const engine::DocumentLoader& loader,
                               const std::string& folder, uint64_t bytes_max,
                               std::stop_token stop) {
  for (const sparql::UpdateOperation& operation : request.operations) {
    const auto* const load = std::get_if<sparql::Load>(&operation);
    if (load == nullptr) {
      continue;
    }
    const std::string iri = load->source.substr(1, load->source.size() - 2);
    if (documents_.contains(iri)) {
      continue;
    }
    const auto fetched = [&]() -> Result<Document> {
      WEFT_TRY(const engine::LoadedDocument loaded, loader(iri, stop));
      WEFT_TRY(std::unique_ptr<UnnamedFile> file, UnnamedFile::create(folder));
      WEFT_TRY_STATUS(copy(*loaded.input, *file, bytes_max, stop));
      return Document{.file = std::move(file), .format = loaded.format};
    };
    Result<Document> document = fetched();
    if (!document.ok() && document.error().kind() == ErrorKind::kCancelled) {
      return std::move(document).error();
    }
    documents_.emplace(iri, std::move(document));
  }
  return ok_status();
}

engine::DocumentLoader FetchedDocuments::loader() const {
  return [this](const std::string& iri, const std::stop_token&) -> Result<engine::LoadedDocument> {
    const auto found = documents_.find(iri);
    if (found == documents_.end()) {
      return Error(ErrorKind::kInternal, "a document was not fetched").with("iri", iri);
    }
    if (!found->second.ok()) {
      return found->second.error();
    }
    engine::LoadedDocument document;
    document.format = found->second->format;
    document.input = file_input(found->second->file);
    return document;
  };
}

}  // namespace weft::server
