// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "quantlens/flow/tensorboard.h"

namespace quantlens::cli {

inline constexpr std::string_view kPairedTags = "paired";

/// `--tensorboard-tags`.
CLI::Option* add_tags_option(CLI::App& verb, std::string& tags);

flow::TensorboardOptions tensorboard_options(const std::string& logdir, const std::string& tags);

/// For people: where the runs are, and the command that shows them.
std::string events_lines(const flow::TensorboardResult& result);

/// `--tensorboard [DIR]`: event files of a run, once it is there.
class TensorboardOption {
 public:
  void add_to(CLI::App& verb, const std::string& also = {});
  /// Before hours of work, as flow::check_tags and flow::check_events_folder.
  void check(Store& store, bool has_accuracies) const;
  bool is_asked() const { return asked_ != nullptr && asked_->count() > 0; }
  bool is_wanted() const { return is_asked() || by_recipe_; }
  /// What was asked for by the recipe alone goes to the usual folder.
  void ask() { by_recipe_ = true; }
  /// Writes them and gives what to say; nothing where they were not asked for. What it throws says
  /// how they are written of the run, which is stored, and is no wrong use any more.
  std::string write(Store& store, const fs::path& workload, Progress& progress) const;

 private:
  flow::TensorboardOptions options() const;

  CLI::Option* asked_ = nullptr;
  CLI::Option* tags_asked_ = nullptr;
  bool by_recipe_ = false;
  std::string folder_, tags_{kPairedTags};
};

}  // namespace quantlens::cli
