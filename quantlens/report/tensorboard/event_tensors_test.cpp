// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_tensors.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

GraphOutline of_two_ops() {
  GraphOutline graph;
  for (const char* name : {"a", "b"}) {
    OpOutline op;
    op.op = std::string(name) + "_out";
    op.name = std::string("/net/") + name;
    graph.ops.push_back(op);
  }
  return graph;
}

ValuePair pair_of(const std::string& op, const std::string& quantized) {
  ValuePair pair;
  pair.op = {.id = op + "_out", .name = "/net/" + op};
  pair.reference = op + "_out";
  pair.quantized = quantized;
  pair.scheme = Scheme{.dtype = DType::int8};
  pair.params = QParams{.scale = 0.5F, .zero_point = 1};
  return pair;
}

TEST(EventTensors, HaveOneTagForBothSides) {
  Pairing pairing;
  pairing.pairs = {pair_of("a", "a_q"), pair_of("a", "a_q2"), pair_of("b", "b_q")};
  pairing.pairs[2].same_as = 0;
  for (const char* weight : {"net.a.weight", "other.weight", "layer.0", "/w/7"}) {
    WeightPair one;
    one.op = {.id = "a_out", .name = "/net/a"};
    one.reference = weight;
    one.quantized = std::string(weight) + "_q";
    pairing.weights.push_back(one);
  }
  const auto tensors = event_tensors(pairing, of_two_ops(), EventNames(of_two_ops()));
  std::vector<std::string> tags;
  tags.reserve(tensors.size());
  for (const EventTensor& tensor : tensors) tags.push_back(tensor.tag);
  EXPECT_EQ(tags, (std::vector<std::string>{"net/a/Output", "net/a/Output_2", "net/b/Output",
                                            "net/a/weight", "net/a/weight_2", "net/a/layer.0",
                                            "net/a/weight_3"}));
  EXPECT_EQ(tensors[2].quantized, "a_q") << "counted where its elements are";
  ASSERT_TRUE(tensors[0].codes);
  EXPECT_TRUE(tensors[0].codes->is_signed);
}

TEST(EventTensors, MeanTheSameTensorWhateverWasCompared) {
  GraphOutline graph = of_two_ops();
  graph.ops[0].outputs = {"first", "second"};
  graph.ops[0].inputs = {"x", "1", "2"};
  graph.weights = {{.name = "1", .dtype = "float32", .shape = "[1]"},
                   {.name = "2", .dtype = "float32", .shape = "[1]"}};
  ValuePair first = pair_of("a", "first_q"), second = pair_of("a", "second_q");
  first.reference = "first";
  second.reference = "second";
  ValuePair again = first;
  again.quantized = "first_q2";
  WeightPair weight;
  weight.op = second.op;
  weight.reference = "2";
  const auto tags = [&](std::vector<ValuePair> pairs) {
    Pairing pairing;
    pairing.pairs = std::move(pairs);
    pairing.weights = {weight};
    std::map<std::string, std::string> by_quantized;
    for (const EventTensor& tensor : event_tensors(pairing, graph, EventNames(graph)))
      by_quantized[tensor.quantized] = tensor.tag;
    return by_quantized;
  };
  auto told = tags({first, again, second});
  EXPECT_EQ(told["first_q"], "net/a/Output");
  EXPECT_EQ(told["first_q2"], "net/a/Output_3") << "never what the second result is called";
  EXPECT_EQ(told["second_q"], "net/a/Output_2");
  EXPECT_EQ(told[""], "net/a/weight_2") << "the first was not compared";
  EXPECT_EQ(tags({second})["second_q"], "net/a/Output_2");
}

TEST(EventTensors, TellBothSidesOfAPair) {
  const std::vector<float> x{1.0F, 2.0F, 3.0F};
  const std::vector<std::int8_t> y{3, 5, 6};
  PairedStats pair;
  pair.pairs.add(0, x, y, {.scale = 0.5F, .zero_point = 1}, PairStats::kNoClip);
  pair.reference_histogram.add(x);
  pair.code_histogram.add(y);
  const auto reference = reference_buckets(pair);
  ASSERT_TRUE(reference);
  EXPECT_EQ(reference->count, 3);
  EXPECT_EQ(reference->min, 1);
  EXPECT_EQ(reference->max, 3);
  EXPECT_EQ(reference->sum, 6);
  EXPECT_EQ(reference->sum_squares, 14);
  const EventCodes codes{.params = {.scale = 0.5F, .zero_point = 1}, .is_signed = true};
  const auto quantized = quantized_buckets(pair, codes);
  ASSERT_TRUE(quantized);
  EXPECT_EQ(quantized->max, 2.5);
  EXPECT_EQ(quantized->sum, 5.5);
  EXPECT_EQ(quantized->counts, (std::vector<double>{1, 0, 1, 1}));
  EXPECT_FALSE(quantized_buckets(pair, {})) << "what its codes mean is not known";
  EXPECT_FALSE(reference_buckets(PairedStats()));
}

}  // namespace
}  // namespace quantlens
