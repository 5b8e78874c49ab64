// The documents that LOAD names, fetched before the update begins: a slow server of somebody else
// must not hold up the writers here.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "server/unnamed_file.h"

#include "weft/engine/live_graph.h"
#include "weft/sparql/update.h"

namespace weft::server {

// For one update, on one thread.
class FetchedDocuments {
 public:
  // Into files without a name in `folder`. What cannot be fetched is an error of the loader, for
  // whoever asks for it: LOAD SILENT forgives. Errors: kCancelled.
  Status fetch(const sparql::Update& request, const engine::DocumentLoader& loader,
               const std::string& folder, uint64_t bytes_max, std::stop_token stop);
  // Gives what was fetched, any number of times. Must not outlive this.
  engine::DocumentLoader loader() const;

 private:
  struct Document {
    std::shared_ptr<UnnamedFile> file;
    rdfio::Format format = rdfio::Format::kTurtle;
  };
  std::map<std::string, Result<Document>> documents_;  // by IRI without brackets
};

}  // namespace weft::server
