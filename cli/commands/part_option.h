// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command.h"
#include "quantlens/flow/part.h"

namespace quantlens::cli {

/// `--shard` and `--samples`: the part of the samples that a run looks at.
class PartOption {
 public:
  /// How help tells what they do.
  struct Words {
    std::string shard;    ///< what a shard is part of, and what is done with it later
    std::string samples;  ///< what is looked at without --samples
  };
  void add_to(CLI::App& verb, const Words& words);
  /// Throws Errc::usage for what is no part.
  flow::Part part() const;

 private:
  std::string shard_, samples_;
};

/// Of verbs whose parts `judge` puts together.
PartOption::Words parts_to_be_judged();

}  // namespace quantlens::cli
