// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace quantlens::cli {

/// What a shell completes an option's value with.
struct Offered {
  std::vector<std::string> words = {};
  bool files = false;
  bool folders = false;
  bool runs = false;  ///< ids of stored ones, and the word last
};

/// The validator of the option that it was given with; it allows every value. CLI11 keeps nothing
/// else with an option.
CLI::Validator offered(const Offered& offer);
CLI::Validator offers_files(std::vector<std::string> words = {});
CLI::Validator offers_folders();
CLI::Validator offers_runs();
CLI::Validator offers_metrics();

/// The same of a validator that has a check of its own.
CLI::Validator& with_offer(CLI::Validator& validator, const Offered& offer);

/// What its validators offer; nothing where the text is free.
Offered offer_of(CLI::Option& option);

}  // namespace quantlens::cli
