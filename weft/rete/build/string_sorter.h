// Sorts any number of strings bytewise within a bounded memory and drops repeated ones.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/term_run.h"

namespace weft::rete::build {

// Not thread-safe. `space` must outlive it.
class StringSorter {
 public:
  // Uses about as much memory as one row sorter.
  explicit StringSorter(const BuildSpace& space)
      : space_(&space), terms_file_(space.scratch), numbers_file_(space.scratch) {
    renew();
  }
  Status add(std::string_view text);
  // Hands over all distinct strings, ascending; once.
  Status for_each(const std::function<Status(std::string_view)>& take);

 private:
  void renew();
  const BuildSpace* space_;
  SharedScratchFile terms_file_;
  SharedScratchFile numbers_file_;
  std::vector<std::unique_ptr<RunTerms>> runs_;
};

}  // namespace weft::rete::build
