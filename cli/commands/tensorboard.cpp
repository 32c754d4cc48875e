// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/tensorboard.h"

#include "cli/commands/commands.h"
#include "cli/commands/tensorboard_option.h"
#include "quantlens/base/text.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  std::string run, logdir = flow::TensorboardOptions().logdir.string(), tags{kPairedTags};
  StoredRunOptions stored;
};

int run(const Arguments& arguments) {
  DiskStore store;
  TerminalProgress progress = arguments.stored.make_progress();
  const flow::TensorboardOptions options = tensorboard_options(arguments.logdir, arguments.tags);
  print_out(events_lines(flow::tensorboard(store, arguments.stored.workspace(store), arguments.run,
                                           options, progress)));
  return kDone;
}

}  // namespace

void add_tensorboard(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "tensorboard", "Write a stored run as event files that TensorBoard shows; nothing is run");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("RUN", arguments->run,
                   "The run: its id, the beginning of it, its name, or the word last")
      ->check(offers_runs())
      ->required()
      ->check(not_empty());
  verb->add_option("--logdir", arguments->logdir,
                   "Write into the folder eval below this one: baseline_acc_<accuracy> and "
                   "tune_<n>_acc_<accuracy>, as far as there are accuracies (default: runs)")
      ->check(offers_folders())
      ->check(not_empty());
  add_tags_option(*verb, arguments->tags);
  arguments->stored.add_to(*verb);
  verb->footer("Example:\n  quantlens tensorboard last --logdir runs");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

}  // namespace quantlens::cli
