// SPDX-License-Identifier: Apache-2.0
// Any ONNX model with a plan made up from its own names: refused, or written so that it can be read
// again, with every weight that the plan leaves alone as it was. The last bytes choose the plan.
#include <algorithm>
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/quant/params.h"

using namespace quantlens;  // NOLINT(google-build-using-namespace): a program of one file

static Plan made_up(const Model& model, const std::string& choices) {
  Plan plan;
  std::size_t at = 0;
  const auto choose = [&] { return static_cast<unsigned char>(choices[at++ % choices.size()]); };
  for (const Node& node : model.graph.nodes) {
    const unsigned what = choose();
    if (what & 1) plan.activations.push_back({op_id(node), {}, {0.5F, 3}, 0, 1, true, {}});
    for (std::uint64_t i = 0; i < node.inputs.size() && (what & 2); ++i) {
      plan.weights_quantized.push_back({node.inputs[i], {}, {QParams{}}, {{op_id(node), i}}});
    }
    if (what & 4 && !node.inputs.empty()) plan.folds.push_back({op_id(node), node.inputs[0]});
  }
  return plan;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::string out;
  Model model;
  onnx::Edit edit;
  try {
    model = onnx::read("/nonexistent/fuzz.onnx", MappedFile::from_bytes(bytes));
    edit = onnx::edit_for(model, made_up(model, bytes.substr(size - 8)));
    onnx::write(model, edit, {}, [&](Bytes part) {
      out.append(reinterpret_cast<const char*>(part.data()), part.size());
    });
  } catch (const Error&) {
    return 0;
  }
  const Model again = onnx::read("/nonexistent/out.onnx", MappedFile::from_bytes(out));
  for (const auto& [name, weight] : model.graph.weights) {
    if (edit.removed_weights.contains(name)) continue;
    if (!std::ranges::equal(again.graph.weights.at(name).bytes(), weight.bytes())) std::abort();
  }
  return 0;
}
