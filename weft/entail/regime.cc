#include "weft/entail/regime.h"

#include <array>
#include <string>

namespace weft::entail {
namespace {

constexpr std::array<std::string_view, 11> kOthers = {
    "d",      "owl",    "owl-direct", "owl-rdf-based", "owl-dl", "owl-full",
    "owl-ql", "owl-rl", "owl-el",     "rif",           "rif-rdf"};

}  // namespace

Result<Regime> regime_by_name(std::string_view name) {
  std::string lower;
  for (const char c : name) {
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const Regime regime : {Regime::kSimple, Regime::kRdf, Regime::kRdfs}) {
    if (lower == regime_name(regime)) {
      return regime;
    }
  }
  for (const std::string_view other : kOthers) {
    if (lower == other) {
      return Error(ErrorKind::kUnsupported,
                   "this entailment regime is not answered; take simple, rdf or rdfs")
          .with("regime", name);
    }
  }
  return Error(ErrorKind::kInvalid, "there is no such entailment regime; take simple, rdf or rdfs")
      .with("regime", name);
}

std::string_view regime_name(Regime regime) {
  switch (regime) {
    case Regime::kSimple:
      return "simple";
    case Regime::kRdf:
      return "rdf";
    case Regime::kRdfs:
      return "rdfs";
  }
  return {};
}

}  // namespace weft::entail
