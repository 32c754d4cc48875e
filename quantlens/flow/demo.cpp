// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/demo.h"

#include "quantlens/quantizer/recipe/read_recipe.h"

namespace quantlens::flow {
namespace {

/// `recipe`: as `--recipe` takes it; empty: none.
QuantizeResult quantize_digits(const fs::path& folder, const fs::path& output,
                               const std::string& recipe, Session session) {
  const QuantizeOptions options{
      .model = folder / "digits.onnx",
      .output = output,
      .data = {.data = (folder / "digits.npz").string(), .options = {}},
      .calibration_data = DataChoice{.data = (folder / "calibration.npz").string(), .options = {}},
      .recipe = recipe.empty() ? Recipe() : read_recipe(recipe, "the demo's recipe"),
      .diagnose = true,
      .metric = parse_metric("top1")};
  // The command that makes this run alone, so that people go on from it.
  session.arguments = {"quantize",
                       options.model.string(),
                       "--data",
                       options.data.data,
                       "--calibration-data",
                       options.calibration_data->data,
                       "--metric",
                       "top1",
                       "--diagnose",
                       "-o",
                       output.string()};
  if (!recipe.empty()) session.arguments.insert(session.arguments.end(), {"--recipe", recipe});
  if (!session.workspace.empty())
    session.arguments.insert(session.arguments.end(), {"--workspace", session.workspace.string()});
  return quantize(options, session);
}

}  // namespace

DemoResult demo(const fs::path& folder, const Session& session) {
  const fs::path outputs = workspace_of(session).root() / "demo";
  session.store.make_folder(outputs);
  Session named = session;
  DemoResult result;
  named.name = "demo per channel";
  result.per_channel = quantize_digits(folder, outputs / "digits.per_channel.int8.onnx", {}, named);
  // The broken one is the newest run: it is what there is to look at.
  named.name = "demo per tensor";
  result.per_tensor =
      quantize_digits(folder, outputs / "digits.per_tensor.int8.onnx",
                      R"({"accuracy_level":"fast","weight":{"granularity":"per_tensor"}})", named);
  return result;
}

}  // namespace quantlens::flow
