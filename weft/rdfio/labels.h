// Labels of blank nodes: whose they are, and those of nodes that have none.
//
// B1  A labelled and an unlabelled node of one document never get one label.
// B2  The prefix is asked for once per document, and only if there is a blank node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/rdfio/parse.h"

namespace weft::rdfio {

// The prefix of one document, shared by all who parse parts of it. Thread-safe.
class DocumentPrefix {
 public:
  explicit DocumentPrefix(const BlankNodePrefix& give) : give_(give) {}
  // "" if labels are taken as they stand. Errors: those of the callback, at every call.
  Result<std::string> get();

 private:
  const BlankNodePrefix& give_;
  base::Mutex mutex_;
  std::optional<Result<std::string>> prefix_ WEFT_GUARDED_BY(mutex_);
};

// Not thread-safe: one per parser.
class BlankNodeLabels {
 public:
  explicit BlankNodeLabels(DocumentPrefix& document) : document_(document) {}

  // The token of the node with this label. Errors: kInvalid if an unlabelled node has it already;
  // those of the callback.
  Status append_labelled(std::string& out, std::string_view label);
  // True if every label is taken as it stands. Errors: those of the callback.
  Result<bool> keeps_labels();
  // The token of a node without a label.
  Status append_anonymous(std::string& out);

 private:
  struct Range {
    uint64_t first;
    uint64_t last;
  };

  Status ask_prefix();

  DocumentPrefix& document_;
  bool asked_ = false;
  std::string prefix_;
  // Documents without a prefix: the highest number of a label that looks like one of ours, and the
  // numbers given, as ascending ranges (both ends included). A range ends where labels were met
  // that reach beyond it, so there are few.
  uint64_t highest_taken_ = 0;
  std::vector<Range> given_;
};

}  // namespace weft::rdfio
