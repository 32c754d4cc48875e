// SPDX-License-Identifier: Apache-2.0
// Ops that move, choose and convert: the oracle and ONNX Runtime give equal bits.
#include <gtest/gtest.h>

#include "quantlens/runtime/contract/differential.h"

namespace quantlens::contract {
namespace {

using Ints = std::vector<std::int64_t>;

/// What a node is given besides its first input.
struct Given {
  Names inputs{"x"};
  Attributes attributes;
};

/// A list of int64 as a weight, or as attribute `key`, whichever the operator set wants.
void give(Trial& trial, Given& given, bool as_input, const std::string& key, const Ints& values) {
  if (!as_input) {
    given.attributes.emplace(key, values);
    return;
  }
  const auto count = static_cast<std::int64_t>(values.size());
  given.inputs.push_back(trial.net.weight(key, Tensor::from<std::int64_t>({count}, values)));
}

Trial shapes(Dice& dice) {
  const bool inputs_since = dice.flip();
  Trial trial{Net(inputs_since ? 13 : 11), {}};
  trial.feed("x", {2, 1, 3, 4}, dice);
  Given squeeze, unsqueeze;
  give(trial, squeeze, inputs_since, "axes", dice.flip() ? Ints{1} : Ints{-3});
  trial.net.output(trial.net.node("Squeeze", squeeze.inputs, "squeezed", squeeze.attributes));
  if (inputs_since) {
    unsqueeze.inputs.push_back(
        trial.net.weight("more_axes", Tensor::from<std::int64_t>({2}, {0, -1})));
  } else {
    unsqueeze.attributes.emplace("axes", Ints{0, 3});
  }
  trial.net.output(
      trial.net.node("Unsqueeze", unsqueeze.inputs, "unsqueezed", unsqueeze.attributes));
  trial.net.weight("shape", Tensor::from<std::int64_t>({3}, {0, -1, dice.flip() ? 3 : 6}));
  trial.net.output(trial.net.node("Reshape", {"x", "shape"}, "reshaped"));
  trial.net.output(trial.net.node("Flatten", {"x"}, "flat", {{"axis", dice.between(-3, 4)}}));
  trial.net.output(trial.net.node("Shape", {"x"}, "extents"));
  return trial;
}

Trial transpose(Dice& dice) {
  Trial trial;
  trial.feed("x", {2, 3, 4}, dice);
  const Ints order = dice.one_of<Ints>({{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}});
  trial.net.output(trial.net.node("Transpose", {"x"}, "y", {{"perm", order}}));
  trial.net.output(trial.net.node("Transpose", {"x"}, "z"));
  return trial;
}

Trial concat(Dice& dice) {
  Trial trial;
  const std::int64_t axis = dice.between(-3, 2);
  const auto at = static_cast<std::size_t>(axis < 0 ? axis + 3 : axis);
  Shape other{2, 3, 4};
  trial.feed("x", other, dice);
  other[at] = dice.between(0, 3);
  trial.net.weight("a", random_floats(other, dice.seed()));
  trial.net.output(trial.net.node("Concat", {"x", "a", "x"}, "y", {{"axis", axis}}));
  return trial;
}

Trial split(Dice& dice) {
  const std::int64_t opset = dice.one_of<std::int64_t>({11, 13, 18});
  Trial trial{Net(opset), {}};
  trial.feed("x", {2, 7, 4}, dice);
  Given given;
  given.attributes.emplace("axis", std::int64_t{1});
  if (opset == 18 && dice.flip()) {
    given.attributes.emplace("num_outputs", std::int64_t{3});  // the last one is smaller
  } else {
    give(trial, given, opset >= 13, "split", {1, 4, 2});
  }
  trial.net.node("Split", given.inputs, "a", given.attributes);
  trial.net.last().outputs = {"a", "b", "c"};
  trial.net.output("a").output("b").output("c");
  return trial;
}

Trial slice(Dice& dice) {
  const bool old = dice.flip();
  Trial trial{Net(old ? 9 : 13), {}};
  trial.feed("x", {2, 7, 5}, dice);
  Given given;
  const Ints starts = dice.several(2, -8, 8), ends = dice.several(2, -8, 8);
  give(trial, given, !old, "starts", starts);
  give(trial, given, !old, "ends", ends);
  give(trial, given, !old, "axes", {1, 2});
  if (!old) give(trial, given, true, "steps", {dice.flip() ? 2 : 1, dice.flip() ? -1 : -3});
  trial.net.output(trial.net.node("Slice", given.inputs, "y", given.attributes));
  return trial;
}

Trial gather(Dice& dice) {
  Trial trial;
  trial.feed("x", {2, 3, 4}, dice);
  const Shape which = dice.one_of<Shape>({{}, {5}, {2, 2}});
  trial.net.weight("which", random_integers(which, dice.seed(), -2, 1, DType::int64));
  trial.net.output(trial.net.node("Gather", {"x", "which"}, "y", {{"axis", dice.between(-3, 2)}}));
  return trial;
}

Trial pad(Dice& dice) {
  const std::int64_t opset = dice.one_of<std::int64_t>({10, 13, 18});
  Trial trial{Net(opset), {}};
  trial.feed("x", {2, 3, 4}, dice);
  Given given;
  const bool some_axes = opset == 18 && dice.flip();
  give(trial, given, opset >= 11, "pads", dice.several(some_axes ? 4 : 6, -1, 2));
  if (opset >= 11) {
    given.inputs.push_back(dice.flip() ? trial.net.weight("value", Tensor::scalar(7.0f)) : "");
    if (some_axes) give(trial, given, true, "axes", {-1, 1});
  } else {
    given.attributes.emplace("value", 7.0f);
  }
  trial.net.output(trial.net.node("Pad", given.inputs, "y", given.attributes));
  return trial;
}

Trial choosing(Dice& dice) {
  Trial trial{Net(16), {}};
  trial.feed("x", {2, 3, 4}, dice);
  trial.net.weight("other", random_floats({3, 1}, dice.seed()));
  const std::string type =
      dice.one_of<std::string>({"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"});
  trial.net.output(trial.net.node(type, {"x", "other"}, "which"));
  trial.net.node("Not", {"which"}, "rest");
  trial.net.weight("truth", random_integers({4}, dice.seed(), 0, 1, DType::boolean));
  trial.net.output(trial.net.node(dice.flip() ? "And" : "Or", {"rest", "truth"}, "both"));
  trial.net.output(trial.net.node("Where", {"both", "x", "other"}, "y"));
  trial.net.weight("shape", Tensor::from<std::int64_t>({4}, {2, 1, 3, 1}));
  trial.net.output(trial.net.node("Expand", {"x", "shape"}, "z"));
  return trial;
}

Trial cast(Dice& dice) {
  Trial trial;
  trial.feed("x", {2, 30}, dice, 0, 100);
  for (const std::int64_t to : {2, 3, 6, 7, 9, 10, 11}) {
    const std::string name = "as" + std::to_string(to);
    trial.net.output(trial.net.node("Cast", {"x"}, name, {{"to", to}}));
    trial.net.output(trial.net.node("Cast", {name}, name + "_back", {{"to", std::int64_t{1}}}));
  }
  return trial;
}

Trial constants(Dice& dice) {
  Trial trial;
  trial.feed("x", {2, 3}, dice);
  trial.net.node("Constant", {}, "c", {{"value", random_floats({3}, dice.seed())}});
  trial.net.output(trial.net.node("Add", {"x", "c"}, "y"));
  trial.net.node("Shape", {"x"}, "shape");
  trial.net.output(trial.net.node("ConstantOfShape", {"shape"}, "z",
                                  {{"value", Tensor::from<std::int64_t>({1}, {5})}}));
  return trial;
}

Trial integers(Dice& dice) {
  Trial trial{Net(14), {}};
  const DType dtype = dice.one_of<DType>({DType::int32, DType::int64});
  trial.feed("x", random_integers({2, 5}, dice.seed(), -40, 40, dtype));
  trial.net.weight("o", random_integers({5}, dice.seed(), 1, 9, dtype));
  for (const char* type : {"Add", "Sub", "Mul", "Div", "Min", "Max"}) {
    trial.net.output(trial.net.node(type, {"x", "o"}, std::string("y") + type));
  }
  for (const char* type : {"Abs", "Neg"}) {
    trial.net.output(trial.net.node(type, {"x"}, std::string("y") + type));
  }
  trial.net.output(trial.net.node("ReduceSum", {"x"}, "sum", {{"keepdims", std::int64_t{0}}}));
  return trial;
}

constexpr OpCase kMovingCases[] = {
    {"Shapes", shapes, {}},     {"Transpose", transpose, {}},
    {"Concat", concat, {}},     {"Split", split, {}},
    {"Slice", slice, {}},       {"Gather", gather, {}},
    {"Pad", pad, {}},           {"Choosing", choosing, {}},
    {"Cast", cast, {}},         {"Constants", constants, {}},
    {"Integers", integers, {}},
};

class MovingOps : public testing::TestWithParam<OpCase> {};
INSTANTIATE_TEST_SUITE_P(Oracle, MovingOps, testing::ValuesIn(kMovingCases), case_name);

TEST_P(MovingOps, AgreeWithOnnxRuntime) {
  try_often(GetParam());
}

}  // namespace
}  // namespace quantlens::contract
