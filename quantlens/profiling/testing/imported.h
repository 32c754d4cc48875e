// For the tests of imports. Not part of the library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/profiling/import/read.h"

namespace quantlens::imports {

/// Keeps what the user would be told.
class Notes final : public Progress {
 public:
  void begin(std::string_view, std::optional<std::uint64_t>) override {}
  void advance(std::uint64_t) override {}
  void end() override {}
  void note(std::string_view sentence) override { sentences.emplace_back(sentence); }
  bool have(std::string_view part) const {
    return std::ranges::any_of(sentences, [&](const std::string& sentence) {
      return sentence.find(part) != std::string::npos;
    });
  }
  std::vector<std::string> sentences;
};

struct Imported {
  Profile profile;
  Notes notes;
};

/// By whichever importer the beginning chooses. REQUIRES: there is one.
inline Imported imported(const std::string& bytes) {
  Imported result;
  std::istringstream in(bytes);
  const Importer importer = importer_for(std::string_view(bytes).substr(0, kBeginning));
  if (importer == nullptr) throw std::runtime_error("no importer");
  result.profile = importer(in, result.notes);
  return result;
}

/// The row of a node or type; an empty one where there is none.
inline NodeTime row(const std::vector<NodeTime>& rows, std::string_view name) {
  const auto at = std::ranges::find(rows, name, &NodeTime::name);
  return at == rows.end() ? NodeTime{} : *at;
}

}  // namespace quantlens::imports
