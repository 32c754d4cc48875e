// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/flow/quantize.h"
#include "quantlens/report/diagnosis_text.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  LongOptions common;
  TableOptions table;
};

// Beside the installed program, else in the source tree that it was built from.
fs::path demo_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink(kThisProgram, error);
  std::vector<fs::path> tried;
  if (!error) tried.push_back(program.parent_path().parent_path() / "share/quantlens/demo");
#ifdef QUANTLENS_DEMO_HINT
  tried.emplace_back(QUANTLENS_DEMO_HINT);
#endif
  for (const fs::path& folder : tried) {
    if (fs::exists(folder / "digits.onnx", error)) return folder;
  }
  throw Error(Errc::not_found,
              "the demo's model and data are not beside the program; install quantlens with "
              "cmake --install, or run it from its build folder");
}

flow::QuantizeResult quantize_demo(const fs::path& folder, const fs::path& output,
                                   const Recipe& recipe, const flow::Session& session) {
  flow::QuantizeOptions options{
      .model = folder / "digits.onnx",
      .output = output,
      .data = {.data = (folder / "digits.npz").string(), .options = {}},
      .calibration_data =
          flow::DataChoice{.data = (folder / "calibration.npz").string(), .options = {}},
      .recipe = recipe,
      .diagnose = true,
      .metric = parse_metric("top1")};
  return flow::quantize(options, session);
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  TerminalProgress progress = arguments.common.make_progress();
  flow::Session session = arguments.common.session(store, progress, command_line);
  const fs::path folder = demo_folder();
  const fs::path outputs = flow::workspace_of(session).root() / "demo";
  store.make_folder(outputs);
  session.name = "demo per tensor";
  Recipe coarse;
  coarse.accuracy_level = AccuracyLevel::fast;
  coarse.weight.granularity = Granularity::per_tensor;
  const flow::QuantizeResult broken =
      quantize_demo(folder, outputs / "digits.per_tensor.int8.onnx", coarse, session);
  session.name = "demo per channel";
  const flow::QuantizeResult mended =
      quantize_demo(folder, outputs / "digits.per_channel.int8.onnx", {}, session);
  if (arguments.table.is_json()) {
    print_object({{"per_tensor",
                   {{"workload", broken.run.id},
                    {"accuracy", json::encode(*broken.accuracy)},
                    {"worst_op", broken.diagnosis->activations.at(0).op.name},
                    {"worst_weight", broken.diagnosis->weights.at(0).op.name}}},
                  {"per_channel",
                   {{"workload", mended.run.id}, {"accuracy", json::encode(*mended.accuracy)}}}});
    return kDone;
  }
  print_out(
      "A small digit classifier with one outlier channel, quantized with one scale per weight "
      "tensor:\n\n");
  print_out(accuracy_text(*broken.accuracy) + "\n");
  print_out(diagnosis_text(*broken.diagnosis, arguments.table.view()));
  const ActivationRow& worst = broken.diagnosis->activations.at(0);
  const WeightRow& weight = broken.diagnosis->weights.at(0);
  print_out(
      fmt::format("\nThe first row names the culprit: {}. Its weight {} has a channel {:.0f} times "
                  "as wide as the "
                  "median one,\nso one scale for all of them leaves the others hardly any codes. "
                  "With one scale "
                  "per channel:\n\n",
                  worst.op.name, weight.weight, weight.channel_spread));
  print_out(accuracy_text(*mended.accuracy));
  print_out(
      fmt::format("\nThe same on your own model:\n  quantlens quantize MODEL.onnx --data DATA "
                  "--diagnose --metric "
                  "top1\nAll of this run: {}\n",
                  shell_word(broken.folder.string())));
  return kDone;
}

}  // namespace

void add_demo(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "demo", "Run the main example on a model and data that come with quantlens");
  auto arguments = std::make_shared<Arguments>();
  arguments->common.add_to(*verb, DataOption::none);
  arguments->table.add_to(*verb);
  verb->footer("Example:\n  quantlens demo");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments, command_line); }; });
}

}  // namespace quantlens::cli
