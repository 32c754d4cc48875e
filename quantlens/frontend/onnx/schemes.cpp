// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/schemes.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"

namespace quantlens::onnx {
namespace {

/// From which version of the ONNX operators on a scheme can be said.
struct Need {
  std::int64_t opset = 0;
  std::string_view what;
};

Need need_of(const Model& model, const Scheme& scheme) {
  switch (scheme.dtype) {
    case DType::int8:
    case DType::uint8:
    case DType::int32:
      return scheme.axis ? Need{13, "a scale for each channel"} : Need{10, "QuantizeLinear"};
    case DType::int16:
    case DType::uint16:
    case DType::int4:
    case DType::uint4:  // below opset 21 as operators of ONNX Runtime's own
      return {10, "QuantizeLinear"};
    default:
      throw Error(Errc::bad_input,
                  fmt::format("{}: the plan stores codes as {}, which is no format for them",
                              printable(model.path.string()), name(scheme.dtype)));
  }
}

}  // namespace

void check_supported(const Model& model, const Plan& plan) {
  if (plan.quant_format != QuantFormat::qdq && plan.quant_format != QuantFormat::qoperator) {
    throw Error(Errc::unsupported,
                fmt::format("{}: the format '{}' cannot be written; choose qdq or qoperator",
                            printable(model.path.string()), word(plan.quant_format)));
  }
  const auto found = model.opsets.find("");
  const std::int64_t opset = found == model.opsets.end() ? 0 : found->second;
  const auto check = [&](const Need& need) {
    if (need.opset <= opset) return;
    throw Error(Errc::unsupported,
                fmt::format("{}: {} needs ONNX operators of version {}, and the model uses {}; "
                            "export it again with opset {} or newer",
                            printable(model.path.string()), need.what, need.opset, opset,
                            std::max<std::int64_t>(need.opset, 13)));
  };
  std::set<std::string> dynamic;
  for (const OpPlan& op : plan.ops) {
    if (op.form == OpForm::dynamic) dynamic.insert(op.op.id);
  }
  for (const ActivationPlan& activation : plan.activations) {
    check(need_of(model, activation.scheme));
  }
  for (const WeightPlan& weight : plan.weights_quantized) {
    const bool is_dynamic =
        !weight.uses.empty() && std::ranges::all_of(weight.uses, [&](const ValueUse& use) {
          return dynamic.contains(use.op);
        });
    check(is_dynamic ? Need{11, "DynamicQuantizeLinear"} : need_of(model, weight.scheme));
  }
}

}  // namespace quantlens::onnx
