// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/demo.h"

namespace quantlens::flow {
namespace {

QuantizeResult quantize_digits(const fs::path& folder, const fs::path& output, const Recipe& recipe,
                               const Session& session) {
  const QuantizeOptions options{
      .model = folder / "digits.onnx",
      .output = output,
      .data = {.data = (folder / "digits.npz").string(), .options = {}},
      .calibration_data = DataChoice{.data = (folder / "calibration.npz").string(), .options = {}},
      .recipe = recipe,
      .diagnose = true,
      .metric = parse_metric("top1")};
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
  Recipe coarse;
  coarse.accuracy_level = AccuracyLevel::fast;
  coarse.weight.granularity = Granularity::per_tensor;
  named.name = "demo per tensor";
  result.per_tensor =
      quantize_digits(folder, outputs / "digits.per_tensor.int8.onnx", coarse, named);
  return result;
}

}  // namespace quantlens::flow
