// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/tensorboard_option.h"

#include <fmt/format.h>

#include "cli/commands/render.h"
#include "quantlens/base/error.h"
#include "quantlens/base/shell_word.h"
#include "quantlens/base/text.h"

namespace quantlens::cli {
namespace {

std::string usual_folder() {
  return flow::TensorboardOptions().logdir.string();
}

/// A model behind the option would be taken for its folder.
CLI::Validator no_file() {
  return {[](const std::string& folder) {
            std::error_code ignored;
            if (!fs::is_regular_file(folder, ignored)) return std::string();
            return fmt::format("'{}' is a file; write --tensorboard last, or --tensorboard=DIR",
                               printable(folder));
          },
          "", "no_file"};
}

/// "baseline" of "runs/eval/baseline_acc_0.776".
std::string run_name(const fs::path& run) {
  const std::string name = run.filename().string();
  return name.substr(0, name.find("_acc_"));
}

/// What TensorBoard is to show. A search has many runs, and in the list of them a comma or a colon
/// of a path would mean something: then it is all of the folder.
std::string which_runs(const std::vector<fs::path>& runs, const std::string& list) {
  constexpr std::size_t kMostNamed = 4;
  if (runs.empty()) return "--logdir " + shell_word(usual_folder());
  const std::string folder = runs.front().parent_path().string();
  if (runs.size() > kMostNamed || folder.find_first_of(",:") != std::string::npos)
    return "--logdir " + shell_word(folder);
  return "--logdir_spec " + shell_word(list);
}

/// The words that name a workspace which is not the usual one.
std::string workspace_words(const Workspace& workspace) {
  try {
    if (workspace.root() == default_workspace()) return {};
  } catch (const Error&) {  // there is no usual one
  }
  return " --workspace " + shell_word(workspace.root().string());
}

}  // namespace

CLI::Option* add_tags_option(CLI::App& verb, std::string& tags) {
  return verb
      .add_option("--tensorboard-tags", tags,
                  "Call histograms like this: paired gives both sides of a tensor one tag, so that "
                  "they stand beside each other; together puts them into one run, so that a card "
                  "shows both, float at step 0; original gives them two tags, ending in /fp32 and "
                  "/int8 (default: paired)")
      ->check(one_of<flow::TensorboardTags>());
}

flow::TensorboardOptions tensorboard_options(const std::string& logdir, const std::string& tags) {
  return {.logdir = logdir,
          .tags = from_word<flow::TensorboardTags>(tags).value_or(flow::TensorboardTags::paired)};
}

std::string events_lines(const flow::TensorboardResult& result) {
  std::string lines, runs;
  for (const fs::path& run : result.runs) {
    lines += fmt::format("wrote {}\n", printable(run.string()));
    runs += fmt::format("{}{}:{}", runs.empty() ? "" : ",", run_name(run), run.string());
  }
  return lines + fmt::format("see them: tensorboard --host 127.0.0.1 {}\n",
                             printable(which_runs(result.runs, runs)));
}

void TensorboardOption::add_to(CLI::App& verb, const std::string& also) {
  asked_ = verb.add_option("--tensorboard", folder_,
                           "Write the run as event files for TensorBoard into the folder eval "
                           "below DIR (default of DIR: runs)" +
                               also)
               ->check(offers_folders())
               ->expected(0, 1)
               ->type_name("[DIR]")
               ->check(no_file());
  tags_asked_ = add_tags_option(verb, tags_);
}

flow::TensorboardOptions TensorboardOption::options() const {
  flow::TensorboardOptions options =
      tensorboard_options(folder_.empty() ? usual_folder() : folder_, tags_);
  options.option = "--tensorboard=DIR";
  return options;
}

void TensorboardOption::check(Store& store, bool has_accuracies) const {
  flow::check_tags(tags_asked_->count() > 0, is_wanted());
  if (is_wanted()) flow::check_events_folder(store, options(), has_accuracies);
}

std::string TensorboardOption::write(Store& store, const fs::path& workload,
                                     Progress& progress) const {
  if (!is_wanted()) return {};
  const Workspace workspace(store, workload.parent_path().parent_path());
  const std::string id = workload.filename().string();
  try {
    return events_lines(flow::tensorboard(store, workspace, id, options(), progress));
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;
    throw Error(error.code() == Errc::usage ? Errc::failed : error.code(),
                fmt::format("{}; the run is stored: 'quantlens tensorboard {} --logdir "
                            "OTHER{}' writes its events",
                            error.what(), id, workspace_words(workspace)));
  }
}

}  // namespace quantlens::cli
