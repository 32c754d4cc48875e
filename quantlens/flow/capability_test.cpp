// SPDX-License-Identifier: Apache-2.0
// Every row of the quantizer's table, in every dtype, scheme, granularity and form, as a model of
// one op: planned, written, run by ONNX Runtime, and compared with the float op. The error is
// bounded by what half a step of each input, weight and output allows; where the runtime computes
// in float, the plan has to say so.
#include "quantlens/quantizer/analyze/capability.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "quantlens/base/cpu.h"
#include "quantlens/base/words.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/graph/order.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/testing/planned.h"
#include "quantlens/runtime/contract/models.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/open.h"

namespace quantlens {
namespace {

using contract::Names;
using contract::Net;

const Capabilities& kAble = capabilities_of("onnx");

/// One op, from the inputs "x" and perhaps "z" to "y"; what it computes it of.
struct OneOp {
  Kind kind = Kind::other;
  std::function<void(Net&)> build;
  Shape x, z;                    ///< no extents: there is none
  Shape weight = {}, bias = {};  ///< as above; values "w", "b"
  double lipschitz = 1;          ///< by how much an error of its data may grow
  std::vector<const char*> outputs = {"y"};
};

std::string ints(Net& net, const std::string& name, std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return net.weight(name, Tensor::from<std::int64_t>({count}, std::move(values)));
}

using Ints = std::vector<std::int64_t>;

void plain(Net& net, const char* type, const Names& inputs, const contract::Attributes& more = {}) {
  net.node(type, inputs, "y", more);
}

std::vector<OneOp> ops() {
  const Shape image{2, 4, 6, 6};
  const auto one = [&](Kind kind, const std::function<void(Net&)>& build, double lipschitz = 1) {
    return OneOp{.kind = kind, .build = build, .x = image, .z = {}, .lipschitz = lipschitz};
  };
  const auto two = [&](Kind kind, const std::function<void(Net&)>& build) {
    return OneOp{.kind = kind, .build = build, .x = image, .z = image};
  };
  std::vector<OneOp> list{
      {.kind = Kind::conv,
       .build =
           [](Net& n) {
             plain(n, "Conv", {"x", "w", "b"}, {{"pads", Ints(4, 1)}});
           },
       .x = image,
       .z = {},
       .weight = {5, 4, 3, 3},
       .bias = {5}},
      {.kind = Kind::matmul,
       .build =
           [](Net& n) {
             plain(n, "MatMul", {"x", "w"});
           },
       .x = {6, 8},
       .z = {},
       .weight = {8, 5}},
      {.kind = Kind::gemm,
       .build =
           [](Net& n) {
             plain(n, "Gemm", {"x", "w", "b"});
           },
       .x = {6, 8},
       .z = {},
       .weight = {8, 5},
       .bias = {5}},
      two(Kind::add,
          [](Net& n) {
            plain(n, "Add", {"x", "z"});
          }),
      two(Kind::mul,
          [](Net& n) {
            plain(n, "Mul", {"x", "z"});
          }),
      two(Kind::concat,
          [](Net& n) {
            plain(n, "Concat", {"x", "z"}, {{"axis", std::int64_t{1}}});
          }),
      one(Kind::average_pool,
          [](Net& n) {
            plain(n, "AveragePool", {"x"}, {{"kernel_shape", Ints{2, 2}}});
          }),
      one(Kind::global_average_pool, [](Net& n) { plain(n, "GlobalAveragePool", {"x"}); }),
      one(Kind::relu, [](Net& n) { plain(n, "Relu", {"x"}); }),
      one(Kind::clip,
          [](Net& n) {
            n.weight("low", Tensor::scalar(-0.5F));
            n.weight("high", Tensor::scalar(0.7F));
            plain(n, "Clip", {"x", "low", "high"});
          }),
      one(Kind::leaky_relu,
          [](Net& n) {
            plain(n, "LeakyRelu", {"x"}, {{"alpha", 0.1F}});
          }),
      one(
          Kind::sigmoid, [](Net& n) { plain(n, "Sigmoid", {"x"}); }, 0.25),
      two(Kind::where,
          [](Net& n) {
            n.weight("c", contract::random_integers({6}, 5, 0, 1, DType::boolean));
            plain(n, "Where", {"c", "x", "z"});
          }),
      one(Kind::max_pool,
          [](Net& n) {
            plain(n, "MaxPool", {"x"}, {{"kernel_shape", Ints{2, 2}}});
          }),
      one(Kind::reduce_max, [](Net& n) { plain(n, "ReduceMax", {"x"}); }),
      one(Kind::reduce_min, [](Net& n) { plain(n, "ReduceMin", {"x"}); }),
      one(Kind::slice,
          [](Net& n) {
            ints(n, "from", {1});
            ints(n, "to", {5});
            plain(n, "Slice", {"x", "from", "to", ints(n, "axis", {2})});
          }),
      one(Kind::gather,
          [](Net& n) {
            plain(n, "Gather", {"x", ints(n, "i", {2, 0})}, {{"axis", std::int64_t{1}}});
          }),
      one(Kind::gather_elements,
          [](Net& n) {
            n.weight("i", contract::random_integers({2, 4, 6, 6}, 7, 0, 3, DType::int64));
            plain(n, "GatherElements", {"x", "i"}, {{"axis", std::int64_t{1}}});
          }),
      one(Kind::expand,
          [](Net& n) {
            plain(n, "Expand", {"x", ints(n, "to", {3, 1, 1, 1, 1})});
          }),
      one(Kind::tile,
          [](Net& n) {
            plain(n, "Tile", {"x", ints(n, "by", {1, 2, 1, 1})});
          }),
      one(Kind::resize,
          [](Net& n) {
            n.weight("by", Tensor::from<float>({4}, {1, 1, 2, 2}));
            plain(n, "Resize", {"x", "", "by"},
                  {{"mode", std::string("nearest")},
                   {"coordinate_transformation_mode", std::string("asymmetric")},
                   {"nearest_mode", std::string("floor")}});
          }),
      one(Kind::reshape,
          [](Net& n) {
            plain(n, "Reshape", {"x", ints(n, "to", {2, -1})});
          }),
      one(Kind::transpose,
          [](Net& n) {
            plain(n, "Transpose", {"x"}, {{"perm", Ints{0, 3, 1, 2}}});
          }),
      one(Kind::unsqueeze,
          [](Net& n) {
            plain(n, "Unsqueeze", {"x", ints(n, "at", {1})});
          }),
      one(Kind::flatten, [](Net& n) { plain(n, "Flatten", {"x"}); }),
  };
  list.push_back(one(Kind::squeeze, [](Net& n) {
    plain(n, "Squeeze", {"x", ints(n, "at", {1})});
  }));
  list.back().x = {2, 1, 6, 6};
  list.push_back(one(Kind::split, [](Net& n) {
    plain(n, "Split", {"x", ints(n, "parts", {1, 3})}, {{"axis", std::int64_t{1}}});
    n.last().outputs.emplace_back("y2");
  }));
  list.back().outputs.emplace_back("y2");
  return list;
}

/// What is asked for.
struct Case {
  AskedDtype activation;
  Symmetry activation_scheme;
  AskedDtype weight;
  Symmetry weight_scheme;
  Granularity granularity;
  QuantFormat format;
  std::int64_t opset = 13;
  bool reduce_range = false;

  Recipe recipe() const {
    Recipe recipe{.quant_format = format,
                  .reduce_range = reduce_range ? ReduceRange::true_ : ReduceRange::auto_};
    recipe.activation = {activation, activation_scheme, Granularity::per_tensor,
                         RangeAlgorithm::minmax};
    recipe.weight = {weight, weight_scheme, granularity, RangeAlgorithm::minmax};
    // what saves nothing by itself, too; the entry keeps the dtypes above
    recipe.op_type_dict[".*"].activation.dtype = activation;
    return recipe;
  }
  std::string text() const {
    return fmt::format("{} {}, {} {} {}, {}, opset {}{}", word(activation), word(activation_scheme),
                       word(weight), word(weight_scheme), word(granularity), word(format), opset,
                       reduce_range ? ", 7 bits" : "");
  }
};

std::vector<Case> cases(bool weighted) {
  std::vector<Case> all;
  using enum AskedDtype;
  std::vector<AskedDtype> weights = {int8};
  std::vector<Symmetry> schemes = {Symmetry::sym};
  std::vector<Granularity> granularities = {Granularity::per_channel};
  if (weighted) {
    weights = {int8, uint8, int4, uint4};
    schemes.push_back(Symmetry::asym);
    granularities.push_back(Granularity::per_tensor);
  }
  const auto add = [&](const Case& one) {
    all.push_back(one);
    if (!weighted || (one.weight != int8 && one.weight != uint8)) return;
    all.push_back(one);
    all.back().reduce_range = true;
  };
  for (const AskedDtype activation : {uint8, int8, uint16, int16})
    for (const Symmetry scheme : {Symmetry::asym, Symmetry::sym})
      for (const AskedDtype weight : weights)
        for (const Symmetry weight_scheme : schemes)
          for (const Granularity granularity : granularities)
            for (const QuantFormat format : {QuantFormat::qdq, QuantFormat::qoperator})
              for (const std::int64_t opset : {13, 21})
                add({activation, scheme, weight, weight_scheme, granularity, format, opset});
  return all;
}

TensorMap run(const Model& model, const TensorMap& inputs, const fs::path& dump = {}) {
  return open(model, nullptr, {}, {.threads = 1, .optimized_dump = dump, .isolation = {}})
      ->step(contract::batch(0, inputs))
      .reference;
}

std::span<const float> floats(const Tensor& tensor) {
  return tensor.data<float>();
}

Range range_of(const Tensor& tensor) {
  const auto [least, greatest] = std::ranges::minmax(floats(tensor));
  return {least, greatest};
}

/// The step that theory gives to a range.
double step_of(const Range& range, const Scheme& scheme) {
  const double codes = std::exp2(scheme.bits) - (scheme.symmetric ? 2 : 1);
  const double low = std::min(0.0, double{range.min});
  const double high = std::max(0.0, double{range.max});
  return (scheme.symmetric ? 2 * std::max(-low, high) : high - low) / codes;
}

/// Of a model of one op: the float one, its data, and what its plan says.
class Trial {
 public:
  Trial(const OneOp& op, std::int64_t opset) : op_(op), net_(opset) {
    net_.input("x", op.x);
    inputs_["x"] = contract::random_floats(op.x, 1, -1.5, 1);
    if (!op.z.empty()) inputs_[net_.input("z", op.z)] = contract::random_floats(op.z, 2, -0.7, 2);
    if (!op.weight.empty()) net_.weight("w", contract::random_floats(op.weight, 3, -0.8, 1));
    if (!op.bias.empty()) net_.weight("b", contract::random_floats(op.bias, 4));
    op.build(net_);
    for (const char* output : op.outputs) net_.output(output);
    model_ = net_.model();
    if (!op.weight.empty()) weight_ = aligned(model_.graph.weights.at("w"));
    answers_ = run(model_, inputs_);
  }

  /// Empty, or what is wrong with this case.
  std::string problem(const Case& asked, const fs::path& dump) {
    const Planned planned_for(model_, asked.recipe());
    Ranges ranges;
    for (const std::string& value : planned_for.draft.values_to_calibrate()) {
      const Range range = range_of(tensor(value));
      ranges.values.push_back({.value = value,
                               .min = range.min,
                               .max = range.max,
                               .algorithm = RangeAlgorithm::minmax});
    }
    const Target machine{.vnni = cpu_has_vnni()};
    PlanResult result = make_plan(planned_for.draft, ranges, machine);
    plan_ = std::move(result.plan);
    const OpPlan& planned = plan_.ops.back();
    if (!planned.quantized) return "stays float: " + planned.reason;
    if (std::string wrong = wrong_steps(); !wrong.empty()) return wrong;
    std::string bytes;
    onnx::write(model_, onnx::edit_for(model_, plan_), {}, [&](Bytes part) {
      bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
    });
    const Model quantized = onnx::read("quantized.onnx", MappedFile::from_bytes(bytes));
    const TensorMap answers = run(quantized, inputs_, dump);
    for (const char* output : op_.outputs) {
      if (std::string wrong = too_far(answers.at(output), output); !wrong.empty()) return wrong;
    }
    const bool in_float = computes_in_float(onnx::read(dump, MappedFile::open(dump)));
    // where saturation does the work of a Relu or Clip, nothing is left to compute
    const bool may_vanish = op_.kind == Kind::relu || op_.kind == Kind::clip;
    const bool says_float = planned.precision == Precision::fp32;
    const bool notes_float = std::ranges::any_of(result.notes, [](const std::string& note) {
      return note.find("computed in float") != std::string::npos;
    });
    if (notes_float != says_float) return "the notes do not say what it is computed in";
    if (in_float != says_float && !(may_vanish && says_float)) {
      return fmt::format("the plan says {}, and it is computed in {}", word(planned.precision),
                         in_float ? "float" : "integers");
    }
    return {};
  }

 private:
  const Tensor& tensor(const std::string& value) const {
    if (inputs_.contains(value)) return inputs_.at(value);
    return answers_.at(value);
  }

  double step(const std::string& value) const {
    for (const ActivationPlan& one : plan_.activations) {
      if (one.value == value) return one.params.scale;
    }
    return 0;
  }

  const WeightPlan* weight_plan(const std::string& name) const {
    const auto found = std::ranges::find(plan_.weights_quantized, name, &WeightPlan::weight);
    return found == plan_.weights_quantized.end() ? nullptr : &*found;
  }

  std::string wrong_steps() const {
    constexpr double kSlack = 1.0001;
    for (const ActivationPlan& one : plan_.activations) {
      const bool is_moved = kAble.has(op_.kind, Role::pass_through);
      const Tensor& source = tensor(is_moved ? "x" : one.value);
      if (one.params.scale > kSlack * step_of(range_of(source), one.scheme)) {
        return fmt::format("the step of {} is {}", one.value, one.params.scale);
      }
    }
    const WeightPlan* weight = weight_plan("w");
    if (weight == nullptr) return {};
    const std::vector<Range> all = extremes(weight_, weight->scheme.axis);
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (weight->params[c].scale > kSlack * step_of(all[c], weight->scheme)) {
        return fmt::format("the step of weight {} is {}", c, weight->params[c].scale);
      }
    }
    return {};
  }

  /// What rounding x and w does to an element of y: the most that half steps add up to, and the
  /// mean square that they do where each is anything up to half a step.
  struct Spread {
    double most = 0;
    double mean_square = 0;
  };

  std::vector<Spread> products_spread() const {
    const std::span<const float> x = floats(inputs_.at("x"));
    const std::span<const float> w = floats(weight_);
    const WeightPlan& stored = *weight_plan("w");
    const double dx = step("x") / 2;
    std::vector<Spread> spread(floats(answers_.at("y")).size());
    const auto half = [&](std::size_t channel) {
      return stored.params[stored.params.size() == 1 ? 0 : channel].scale / 2.0;
    };
    const auto add = [&](std::size_t y, std::size_t channel, double a, double b) {
      const double of_w = std::abs(a) * half(channel);
      const double of_x = std::abs(b) * dx;
      spread[y].most += of_w + of_x + dx * half(channel);
      spread[y].mean_square += (of_w * of_w + of_x * of_x) / 3;
    };
    if (op_.kind == Kind::conv) {
      for_conv([&](std::size_t y, std::size_t channel, std::size_t a, std::size_t b) {
        add(y, channel, x[a], w[b]);
      });
    } else {
      constexpr std::size_t kRows = 6, kInner = 8, kColumns = 5;
      for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t c = 0; c < kColumns; ++c)
          for (std::size_t k = 0; k < kInner; ++k)
            add(r * kColumns + c, c, x[r * kInner + k], w[k * kColumns + c]);
    }
    if (const WeightPlan* bias = weight_plan("b")) {
      for (Spread& one : spread) one.most += bias->params[0].scale;
    }
    return spread;
  }

  /// Half steps hardly ever add up all alike, so the mean error says more than the bounds do.
  std::string too_far_on_average(std::span<const float> got) const {
    const std::span<const float> expected = floats(answers_.at("y"));
    double mean_square = 0;
    double allowed = 0;
    const std::vector<Spread> spread = products_spread();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double error = double{got[i]} - double{expected[i]};
      mean_square += error * error;
      allowed += spread[i].mean_square + step("y") * step("y") / 12;
    }
    constexpr double kChance = 2;  // some thirty to some hundred elements
    if (mean_square <= kChance * allowed) return {};
    return fmt::format("the mean square error is {} times what theory expects",
                       mean_square / allowed);
  }

  /// Calls with the positions in y, its channel, in x and in w.
  template <class F>
  static void for_conv(const F& call) {
    constexpr int kBatch = 2, kIn = 4, kSize = 6, kOut = 5, kWindow = 3;
    for (int n = 0; n < kBatch; ++n)
      for (int o = 0; o < kOut; ++o)
        for (int i = 0; i < kSize * kSize; ++i)
          for (int k = 0; k < kIn * kWindow * kWindow; ++k) {
            const int channel = k / (kWindow * kWindow);
            const int row = i / kSize + k / kWindow % kWindow - 1;
            const int column = i % kSize + k % kWindow - 1;
            if (row < 0 || row >= kSize || column < 0 || column >= kSize) continue;
            call(static_cast<std::size_t>((n * kOut + o) * kSize * kSize + i),
                 static_cast<std::size_t>(o),
                 static_cast<std::size_t>(((n * kIn + channel) * kSize + row) * kSize + column),
                 static_cast<std::size_t>(o * kIn * kWindow * kWindow + k));
          }
  }

  std::vector<double> bounds(const std::string& output) const {
    const std::size_t size = floats(answers_.at(output)).size();
    const double dx = step("x") / 2;
    const double dz = step("z") / 2;
    std::vector<double> bound(size, op_.lipschitz * std::max(dx, dz));
    if (op_.kind == Kind::add) bound.assign(size, dx + dz);
    if (op_.kind == Kind::mul) {
      for (std::size_t i = 0; i < size; ++i) {
        bound[i] = std::abs(floats(inputs_.at("x"))[i]) * dz +
                   std::abs(floats(inputs_.at("z"))[i]) * dx + dx * dz;
      }
    }
    if (!op_.weight.empty()) {
      const std::vector<Spread> spread = products_spread();
      std::ranges::transform(spread, bound.begin(), &Spread::most);
    }
    // moved codes are not rounded again; bounds of a Clip may cost the range a step
    const bool is_moved = kAble.has(op_.kind, Role::pass_through);
    const bool is_bounded = op_.kind == Kind::clip || op_.kind == Kind::relu;
    const double rounding = is_moved ? 0 : is_bounded ? 1 : 0.5;
    for (double& one : bound) one += rounding * step(output);
    return bound;
  }

  std::string too_far(const Tensor& answer, const std::string& output) const {
    constexpr double kFloatSums = 2e-6;  // of float32, beside errors of 1e-5 and more
    const std::span<const float> expected = floats(answers_.at(output));
    const std::span<const float> got = floats(answer);
    if (got.size() != expected.size()) return "another shape";
    if (!op_.weight.empty()) {
      if (std::string wrong = too_far_on_average(got); !wrong.empty()) return wrong;
    }
    const std::vector<double> bound = bounds(output);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double error = std::abs(double{got[i]} - double{expected[i]});
      const double slack = kFloatSums + 1e-3 * step(output);
      if (!(error <= bound[i] + slack)) {
        return fmt::format("{}[{}] is {}, not {}: {} off, and theory allows {}", output, i, got[i],
                           expected[i], error, bound[i]);
      }
    }
    return {};
  }

  /// Whether what DequantizeLinear gives is read by anything but QuantizeLinear.
  static bool computes_in_float(const Model& ran) {
    const GraphIndex index(ran.graph);
    return std::ranges::any_of(ran.graph.nodes, [&](const Node& node) {
      if (node.kind == Kind::quantize) return false;
      return std::ranges::any_of(node.inputs, [&](const std::string& input) {
        const auto producer = index.producer(input);
        return producer && ran.graph.nodes[*producer].kind == Kind::dequantize;
      });
    });
  }

  const OneOp& op_;
  Net net_;
  Model model_;
  Tensor weight_;
  TensorMap inputs_, answers_;
  Plan plan_;
};

TEST(Capability, HasATrialForEveryRowOfTheTable) {
  const std::vector<OneOp> all = ops();
  for (const Capability& row : kAble.rows()) {
    EXPECT_EQ(std::ranges::count(all, row.kind, &OneOp::kind), 1) << to_string(row.kind);
  }
  EXPECT_EQ(all.size(), kAble.rows().size());
}

class EveryScheme : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryScheme, RunsWithinTheErrorThatItsStepsAllow) {
  const OneOp op = ops()[GetParam()];
  const fs::path dump = fs::path(testing::TempDir()) /
                        fmt::format("quantlens-capability-{}-{}.onnx", GetParam(), ::getpid());
  std::map<std::int64_t, Trial> trials;
  for (const std::int64_t opset : {13, 21}) trials.try_emplace(opset, op, opset);
  std::size_t count = 0;
  for (const Case& asked : cases(!op.weight.empty())) {
    EXPECT_EQ(trials.at(asked.opset).problem(asked, dump), "") << asked.text();
    ++count;
  }
  EXPECT_EQ(count, op.weight.empty() ? 32U : 768U);
  fs::remove(dump);
}

std::string kind_of(const testing::TestParamInfo<std::size_t>& one) {
  return std::string(to_string(ops()[one.param].kind));
}

INSTANTIATE_TEST_SUITE_P(Capability, EveryScheme, testing::Range(std::size_t{0}, ops().size()),
                         kind_of);

}  // namespace
}  // namespace quantlens
