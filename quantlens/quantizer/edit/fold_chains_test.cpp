// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/edit/fold_chains.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/testing/planned.h"

namespace quantlens {
namespace {

constexpr std::int64_t kIn = 4;   // channels that are read
constexpr std::int64_t kOut = 6;  // and made

using Numbers = std::vector<double>;

/// A multiplication by weights whose kernels have one element, what it adds, and a chain behind it.
class RandomChain {
 public:
  explicit RandomChain(unsigned seed) : random_(seed) {
    constexpr Kind kKinds[] = {Kind::conv, Kind::conv_transpose, Kind::gemm, Kind::matmul};
    kind_ = kKinds[seed % 4];
    net_.input("x");
    make_anchor();
    const int length = one_of(1, 4);
    for (int i = 0; i < length; ++i) add_op("v" + std::to_string(i));
    net_.node(Kind::softmax, {last_}, "y").output("y");
  }

  const Graph& graph() const { return net_.graph(); }
  std::size_t length() const { return ops_.size(); }

  /// What the chain makes of `x`, op by op; with the constants of `prepared` where it is given.
  Numbers run(const Numbers& x, const Prepared* prepared = nullptr) const {
    const GraphIndex index(graph());
    const Node& anchor = graph().nodes[0];
    const auto constant = [&](const Node& node, std::size_t input) {
      const Tensor* tensor = prepared ? constant_input(*prepared, index, node, input)
                             : input < node.inputs.size() ? index.constant(node.inputs[input])
                                                          : nullptr;
      Numbers values;
      if (tensor) values.assign(tensor->data<float>().begin(), tensor->data<float>().end());
      return values;
    };
    Numbers y = multiplied(constant(anchor, 1), x);
    const Numbers bias = constant(anchor, 2);
    for (std::size_t c = 0; c < y.size() && !bias.empty(); ++c)
      y[c] += beta_ * bias[bias.size() == 1 ? 0 : c];
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const Node& node = graph().nodes[1 + i];
      if (prepared && is_folded(*prepared, op_id(node))) continue;
      apply(node, constant, y);
    }
    return y;
  }

 private:
  static bool is_folded(const Prepared& prepared, const std::string& op) {
    return prepared.folds.contains(op);
  }

  int one_of(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  std::vector<float> numbers(std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
      const float size = std::exp(std::normal_distribution<float>(0, 2)(random_));
      value = one_of(0, 1) == 0 ? size : -size;
    }
    return values;
  }

  void make_anchor() {
    groups_ = kind_ == Kind::gemm || kind_ == Kind::matmul ? 1 : one_of(1, 2);
    by_rows_ = kind_ == Kind::conv || (kind_ == Kind::gemm && one_of(0, 1) == 1);
    rank_ = kind_ == Kind::gemm || kind_ == Kind::matmul ? 2 : one_of(3, 5);
    Shape shape = by_rows_ ? Shape{kOut, kIn / groups_} : Shape{kIn, kOut / groups_};
    for (int i = 2; i < rank_; ++i) shape.push_back(1);
    net_.weight("w", shape, numbers(kIn * kOut / groups_));
    std::vector<std::string> inputs{"x", "w"};
    if (kind_ != Kind::matmul && one_of(0, 1) == 1) {
      inputs.emplace_back("b");
      net_.weight("b", {kOut}, numbers(kOut));
    }
    net_.node(kind_, inputs, "m");
    if (kind_ == Kind::gemm) {
      alpha_ = inputs.size() > 2 ? 0.5 : 1;  // else it gets no bias
      beta_ = inputs.size() > 2 ? 2 : 1;
      net_.set(&roles::MatrixProduct::transposes_b, by_rows_);
      net_.set(&roles::MatrixProduct::alpha, static_cast<float>(alpha_));
      net_.set(&roles::MatrixProduct::beta, static_cast<float>(beta_));
    } else if (rank_ > 2) {
      net_.set(&roles::Convolution::groups, groups_);
    }
  }

  /// A constant in one of the forms that give one number to each channel.
  std::string constant(const std::string& name) {
    const bool is_last = rank_ == 2;
    Shape shape;
    switch (one_of(0, 3)) {
      case 0:
        break;  // a scalar
      case 1:
        shape = Shape(static_cast<std::size_t>(kind_ == Kind::matmul ? 1 : rank_), 1);
        break;
      case 2:
        shape = {kOut};
        if (!is_last) shape.resize(static_cast<std::size_t>(rank_) - 1, 1);
        break;
      default:
        if (kind_ != Kind::matmul) shape = {1};  // a MatMul's rank is not known here
        shape.push_back(kOut);
        if (!is_last) shape.resize(static_cast<std::size_t>(rank_), 1);
    }
    net_.weight(name, shape, numbers(element_count(shape).value()));
    return name;
  }

  void add_op(const std::string& value) {
    constexpr Kind kKinds[] = {Kind::mul, Kind::add, Kind::sub,
                               Kind::div, Kind::neg, Kind::batch_norm};
    const Kind kind = kKinds[one_of(0, 5)];
    if (kind == Kind::neg) {
      net_.node(kind, {last_}, value);
    } else if (kind == Kind::batch_norm) {
      std::vector<std::string> inputs{last_};
      for (const char* part : {"scale", "shift", "mean", "var"}) {
        inputs.push_back(value + part);
        std::vector<float> of_channels = numbers(kOut);
        for (float& one : of_channels) one = std::abs(one);
        net_.weight(inputs.back(), {kOut}, of_channels);
      }
      net_.node(kind, inputs, value).set(&roles::Normalization::epsilon, 0.5F);
    } else {
      std::vector<std::string> inputs{last_, constant(value + "c")};
      if (kind != Kind::div && one_of(0, 1) == 1) std::swap(inputs[0], inputs[1]);
      net_.node(kind, inputs, value);
    }
    ops_.push_back(kind);
    last_ = value;
  }

  Numbers multiplied(const Numbers& weight, const Numbers& x) const {
    Numbers y(kOut, 0);
    const std::int64_t ins = kIn / groups_, outs = kOut / groups_;
    for (std::int64_t g = 0; g < groups_; ++g) {
      for (std::int64_t o = 0; o < outs; ++o) {
        for (std::int64_t i = 0; i < ins; ++i) {
          const std::int64_t out = g * outs + o, in = g * ins + i;
          const std::int64_t at = by_rows_ ? out * ins + i : in * outs + o;
          y[static_cast<std::size_t>(out)] +=
              alpha_ * weight[static_cast<std::size_t>(at)] * x[static_cast<std::size_t>(in)];
        }
      }
    }
    return y;
  }

  static void apply(const Node& node, const auto& constant, Numbers& y) {
    if (node.kind == Kind::batch_norm) {
      const Numbers scale = constant(node, 1), shift = constant(node, 2), mean = constant(node, 3),
                    variance = constant(node, 4);
      for (std::size_t c = 0; c < y.size(); ++c)
        y[c] = (y[c] - mean[c]) / std::sqrt(variance[c] + 0.5) * scale[c] + shift[c];
      return;
    }
    if (node.kind == Kind::neg) {
      for (double& one : y) one = -one;
      return;
    }
    const Numbers first = constant(node, 0);
    const Numbers numbers = first.empty() ? constant(node, 1) : first;
    for (std::size_t c = 0; c < y.size(); ++c) {
      const double number = numbers[numbers.size() == 1 ? 0 : c];
      if (node.kind == Kind::mul) y[c] *= number;
      if (node.kind == Kind::add) y[c] += number;
      if (node.kind == Kind::div) y[c] /= number;
      if (node.kind == Kind::sub) y[c] = first.empty() ? y[c] - number : number - y[c];
    }
  }

  std::mt19937 random_;
  SmallGraph net_;
  Kind kind_ = Kind::conv;
  std::int64_t groups_ = 1;
  bool by_rows_ = true;
  int rank_ = 2;
  double alpha_ = 1, beta_ = 1;
  std::string last_ = "m";
  std::vector<Kind> ops_;
};

TEST(FoldChain, MakesTheSameFunctionOfAnyChain) {
  const Numbers x{0.5, -2, 3, 0.25};
  int folded = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const RandomChain chain(seed);
    const Prepared prepared = prepare(chain.graph());
    folded += prepared.folds.size() == chain.length() ? 1 : 0;
    const Numbers before = chain.run(x), after = chain.run(x, &prepared);
    // Folded constants are rounded to float32 once each; what cancels out keeps that error.
    const Numbers zero = chain.run({0, 0, 0, 0});
    for (std::size_t c = 0; c < before.size(); ++c) {
      double size = std::abs(zero[c]) + std::abs(before[c]);
      for (std::size_t i = 0; i < x.size(); ++i) {
        Numbers one(x.size(), 0);
        one[i] = x[i];
        size += std::abs(chain.run(one)[c] - zero[c]);
      }
      EXPECT_NEAR(before[c], after[c], 4 * 0x1p-24 * size) << "seed " << seed << " channel " << c;
    }
  }
  EXPECT_GT(folded, 1500);  // a MatMul may keep an Add, a Sub or both
}

SmallGraph conv_and(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {2, 3}).weight(name, shape, values);
  net.node(Kind::conv, {"x", "w"}, "c");
  return net;
}

TEST(FoldChain, LeavesAConstantThatDiffersWithinAChannelOrWidensTheResult) {
  for (const Shape& shape : {Shape{1, 2}, Shape{2, 1}, Shape{1, 2, 1, 1, 1}, Shape{2, 1, 1, 1}}) {
    SmallGraph net = conv_and("k", shape, {5, 7});
    net.node(Kind::mul, {"c", "k"}, "y").output("y");
    const bool is_of_channels = shape == Shape{2, 1};  // counted from the end: [1, 1, 2, 1]
    EXPECT_TRUE(prepare(net.graph()).folds.empty()) << to_string(shape) << is_of_channels;
  }
}

TEST(FoldChain, LeavesWhatAlsoSomethingElseReadsOrIsAnOutput) {
  SmallGraph net = conv_and("k", {2, 1, 1}, {5, 7});
  net.node(Kind::mul, {"c", "k"}, "m").node(Kind::add, {"m", "k"}, "y").output("m").output("y");
  EXPECT_EQ(prepare(net.graph()).folds.list(), (std::vector<Fold>{{.op = "m", .into = "c"}}));
}

TEST(FoldChain, EndsWhereNumbersWouldNotBeFinite) {
  SmallGraph net = conv_and("k", {2, 1, 1}, {3e38F, 1});
  net.weight("zero", {}, {0}).node(Kind::add, {"c", "k"}, "a").node(Kind::mul, {"a", "k"}, "m");
  net.node(Kind::div, {"m", "zero"}, "y").output("y");
  EXPECT_EQ(prepare(net.graph()).folds.list(), (std::vector<Fold>{{.op = "a", .into = "c"}}));
}

TEST(FoldChain, KeepsTheFirstAddBehindAMatMulAsItsBias) {
  SmallGraph net;
  net.input("x")
      .weight("w", {2, 2}, {1, 2, 3, 4})
      .weight("k", {2}, {2, 4})
      .weight("b", {2}, {1, 3});
  net.node(Kind::matmul, {"x", "w"}, "m").node(Kind::mul, {"m", "k"}, "s");
  net.node(Kind::add, {"s", "b"}, "a")
      .node(Kind::mul, {"k", "a"}, "t")
      .node(Kind::relu, {"t"}, "y");
  net.output("y");
  const Prepared prepared = prepare(net.graph());
  EXPECT_EQ(prepared.folds.list(),
            (std::vector<Fold>{{.op = "s", .into = "m"}, {.op = "t", .into = "a"}}));
  const GraphIndex index(net.graph());
  const auto weight = constant_input(prepared, index, net.graph().nodes[0], 1)->data<float>();
  const auto bias = constant_input(prepared, index, net.graph().nodes[2], 1)->data<float>();
  EXPECT_EQ(std::vector<float>(weight.begin(), weight.end()), (std::vector<float>{4, 32, 12, 64}));
  EXPECT_EQ(std::vector<float>(bias.begin(), bias.end()), (std::vector<float>{2, 12}));
  EXPECT_EQ(prepared.patterns[0].members, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(bias_add(index, prepared.patterns[0]), 2U);
}

/// What an op reads as its constant once its chain is folded.
std::vector<float> folded(const Graph& graph, std::size_t node, std::size_t input) {
  const Prepared prepared = prepare(graph);
  const GraphIndex index(graph);
  const Tensor* tensor = constant_input(prepared, index, graph.nodes[node], input);
  const auto values = tensor->data<float>();
  return {values.begin(), values.end()};
}

TEST(FoldChain, TakesAConstantOfAllExtentsWhereTheyAreKnown) {
  for (const std::int64_t width : {2, 1}) {
    SmallGraph net = conv_and("k", {1, 2, 1, 2}, {5, 5, 7, 7});
    net.node(Kind::mul, {"c", "k"}, "m").node(Kind::softmax, {"m"}, "y").output("y");
    Graph graph = net.graph();
    graph.inputs[0].shape = {{.extent = {}, .symbol = "N"}, {1, {}}, {1, {}}, {width, {}}};
    EXPECT_EQ(prepare(graph).folds.size(), width == 2 ? 1U : 0U) << "else it widens the value";
  }
}

TEST(FoldChain, LeavesAConstantThatDiffersWithinItsChannels) {
  SmallGraph net = conv_and("k", {1, 2, 1, 2}, {5, 5, 7, 8});
  net.node(Kind::mul, {"c", "k"}, "m").node(Kind::softmax, {"m"}, "y").output("y");
  Graph graph = net.graph();
  graph.inputs[0].shape = {{.extent = {}, .symbol = "N"}, {1, {}}, {1, {}}, {2, {}}};
  EXPECT_TRUE(prepare(graph).folds.empty());
}

TEST(FoldChain, EndsWhereChannelsWouldLosePrecision) {
  SmallGraph net = conv_and("k", {2, 1, 1}, {1, 0x1p-140F});
  net.weight("zero", {}, {0}).node(Kind::neg, {"c"}, "n").node(Kind::mul, {"n", "k"}, "m");
  net.node(Kind::mul, {"m", "zero"}, "y").output("y");
  EXPECT_EQ(prepare(net.graph()).folds.size(), 3U) << "all of it is zero";
  SmallGraph open = conv_and("k", {2, 1, 1}, {1, 0x1p-140F});
  open.node(Kind::neg, {"c"}, "n").node(Kind::mul, {"n", "k"}, "y").output("y");
  EXPECT_EQ(prepare(open.graph()).folds.list(), (std::vector<Fold>{{.op = "n", .into = "c"}}));
}

TEST(FoldChain, ScalesRowsOfAWeightOnTheLeft) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("k", {2, 1}, {2, 4});
  net.weight("b", {2, 1}, {1, 3}).node(Kind::matmul, {"w", "x"}, "m");
  net.node(Kind::mul, {"m", "k"}, "s").node(Kind::sub, {"b", "s"}, "a");
  net.node(Kind::mul, {"a", "k"}, "y").output("y");
  const Prepared prepared = prepare(net.graph());
  EXPECT_EQ(prepared.folds.list(),
            (std::vector<Fold>{{.op = "s", .into = "m"}, {.op = "y", .into = "a"}}));
  EXPECT_EQ(folded(net.graph(), 0, 0), (std::vector<float>{4, 8, 48, 64}));
  EXPECT_EQ(folded(net.graph(), 2, 0), (std::vector<float>{2, 12}));
}

TEST(FoldChain, LetsANormalizationBehindAMatMulTakeWhatIsBehindIt) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("k", {2}, {2, 4});
  net.weight("scale", {2}, {1, 2}).weight("shift", {2}, {3, 4}).weight("mean", {2}, {5, 6});
  net.node(Kind::matmul, {"x", "w"}, "m");
  net.node(Kind::batch_norm, {"m", "scale", "shift", "mean", "k"}, "n");
  net.node(Kind::mul, {"n", "k"}, "s").node(Kind::add, {"s", "k"}, "y").output("y");
  Graph graph = net.graph();
  graph.inputs[0].shape = {{.extent = {}, .symbol = "N"}, {2, {}}};  // else their axis is unknown
  const Prepared prepared = prepare(graph);
  EXPECT_EQ(prepared.folds.list(),
            (std::vector<Fold>{{.op = "s", .into = "n"}, {.op = "y", .into = "n"}}));
  EXPECT_EQ(folded(graph, 1, 1), (std::vector<float>{2, 8}));
  EXPECT_EQ(folded(graph, 1, 2), (std::vector<float>{8, 20}));
  EXPECT_EQ(bias_add(GraphIndex(graph), prepared.patterns[0]), std::nullopt);
}

TEST(FoldChain, GivesNoBiasToAGemmThatHasAnIntegerKernelWithoutOne) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("k", {2}, {2, 4});
  net.node(Kind::gemm, {"x", "w"}, "m").set(&roles::MatrixProduct::alpha, 0.5F);
  net.node(Kind::mul, {"m", "k"}, "s").node(Kind::add, {"s", "k"}, "y").output("y");
  EXPECT_EQ(prepare(net.graph()).folds.list(), (std::vector<Fold>{{.op = "s", .into = "m"}}));
}

TEST(FoldChain, LeavesASubAtTheEndOfAMatMulByItself) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("k", {2}, {2, 4});
  net.node(Kind::matmul, {"x", "w"}, "m").node(Kind::sub, {"m", "k"}, "y").output("y");
  EXPECT_EQ(prepare(net.graph()).patterns.size(), 2U);
}

TEST(PrepareLike, FoldsWhatAFileHasFoldedAndNoMore) {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 2}).weight("f", {2, 1, 1}, {2, 3});
  net.weight("s", {2, 1, 1}, {5, 7}).node(Kind::conv, {"x", "w"}, "c");
  net.node(Kind::mul, {"c", "f"}, "m").node(Kind::add, {"m", "s"}, "a").output("a");
  const auto folds = [&](const std::set<std::string>& folded) {
    return prepare_like(GraphIndex(net.graph()), {}, capabilities_of("onnx"), folded).folds.list();
  };
  EXPECT_TRUE(folds({}).empty());
  EXPECT_EQ(folds({"m"}), (std::vector<Fold>{{.op = "m", .into = "c"}}));
  EXPECT_EQ(folds({"m", "a"}).size(), 2U);
  EXPECT_TRUE(prepare_like(GraphIndex(net.graph()), {}, capabilities_of("onnx"), {"m"})
                  .folds.contains("m"));
}

TEST(PrepareLike, ANormBehindAMatMulLeavesItsShift) {
  SmallGraph net;
  net.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("scale", {2}, {4, 9});
  net.weight("shift", {2}, {1, 1}).weight("mean", {2}, {0.5F, 0.25F}).weight("var", {2}, {3, 8});
  net.node(Kind::matmul, {"x", "w"}, "m");
  net.node(Kind::batch_norm, {"m", "scale", "shift", "mean", "var"}, "n");
  net.set(&roles::Normalization::epsilon, 1.0F).output("n");
  Graph graph = net.graph();
  graph.values["m"] = {
      .name = "m", .dtype = DType::float32, .shape = std::vector<Dim>{{1, ""}, {2, ""}}};
  const GraphIndex index(graph);
  const Prepared prepared = prepare_like(GraphIndex(graph), {}, capabilities_of("onnx"), {"n"});
  const Tensor* weight = constant_input(prepared, index, graph.nodes[0], 1);
  ASSERT_NE(weight, nullptr);
  const auto values = weight->data<float>();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()), (std::vector<float>{2, 6, 6, 12}));
  const auto scale = constant_input(prepared, index, graph.nodes[1], 1)->data<float>();
  EXPECT_EQ(std::vector<float>(scale.begin(), scale.end()), (std::vector<float>{2, 3}))
      << "by which it is divided again";
  const auto shift = constant_input(prepared, index, graph.nodes[1], 2)->data<float>();
  EXPECT_EQ(std::vector<float>(shift.begin(), shift.end()), (std::vector<float>{0.5F, 0.5F}));
  EXPECT_TRUE(prepare(graph).input_edits.empty());
}

}  // namespace
}  // namespace quantlens
