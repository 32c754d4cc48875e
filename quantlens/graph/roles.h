// What an op's inputs and attributes mean, in words that no format owns. A frontend fills them in
// when it reads a node; whoever judges ops reads these and `Kind`, through roles_of.h. The struct
// that a kind has stands in `Roles`, each with what it is for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include "quantlens/graph/kind.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {
namespace roles {

// Structs named ...Operands say by number which inputs of an op are what. A number may lie past the
// op's inputs, and the input there may be empty: then the op lacks it.

/// Which inputs of an op that multiplies by a weight are what. The number of `bias` may lie past
/// the op's inputs: then it has none yet; nothing: it cannot have one.
struct Operands {
  std::size_t data = 0;
  std::size_t weight = 1;
  std::optional<std::size_t> bias = 2;
  bool operator==(const Operands&) const = default;
};
BOOST_DESCRIBE_STRUCT(Operands, (), (data, weight, bias))

/// A window on its way over the axes of positions. Lists have an entry for each of these axes; an
/// empty one: 0 of pads, 1 of all others.
struct Window {
  std::vector<std::int64_t> kernel = {};  ///< empty, too, where a weight's shape says it
  std::vector<std::int64_t> strides = {};
  std::vector<std::int64_t> dilations = {};
  std::vector<std::int64_t> pads = {};  ///< in front of each axis, then behind each
  std::vector<std::int64_t> output_padding = {};
  bool pads_to_fit = false;  ///< as much as the extent of the result asks for, whatever `pads` are
  bool rounds_up = false;    ///< the result has a position where the window is only begun
  bool has_extents = false;  ///< those of the result are given apart
  bool operator==(const Window&) const = default;
};
BOOST_DESCRIBE_STRUCT(Window, (),
                      (kernel, strides, dilations, pads, output_padding, pads_to_fit, rounds_up,
                       has_extents))

/// conv, conv_transpose, qconv, conv_integer. Of a convolution the weight's `input_axis` counts
/// within a group, of a transposed one its `output_axis`.
struct Convolution {
  Operands operands = {};
  std::size_t output_axis = 0;   ///< of the weight
  std::size_t input_axis = 1;    ///< of the weight
  std::size_t channel_axis = 1;  ///< of data and result
  std::int64_t groups = 1;
  Window window = {};
  bool fuses_activation = false;
  bool operator==(const Convolution&) const = default;
};
BOOST_DESCRIBE_STRUCT(Convolution, (),
                      (operands, output_axis, input_axis, channel_axis, groups, window,
                       fuses_activation))

/// alpha * a * b + beta * bias: gemm, matmul and their forms on codes. `b` is [..., inputs,
/// outputs], or [..., outputs, inputs] where it is transposed.
struct MatrixProduct {
  Operands operands = {};
  bool transposes_a = false;
  bool transposes_b = false;
  bool transposes_batch_a = false;  ///< with the transposition of `a`, its first axis becomes inner
  float alpha = 1;
  float beta = 1;
  bool fuses_activation = false;
  bool operator==(const MatrixProduct&) const = default;
};
BOOST_DESCRIBE_STRUCT(MatrixProduct, (),
                      (operands, transposes_a, transposes_b, transposes_batch_a, alpha, beta,
                       fuses_activation))

/// Those of a matrix of codes in blocks. The codes of gather_blocks are its data; what it picks
/// from them is at `indices`, which matmul_blocks has not.
struct BlockOperands {
  std::size_t codes = 1;
  std::size_t scales = 2;
  std::size_t zero_points = 3;
  std::size_t indices = 1;
  bool operator==(const BlockOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(BlockOperands, (), (codes, scales, zero_points, indices))

/// matmul_blocks, and gather_blocks, of which the extents are not told.
struct BlockMatrix {
  std::int64_t bits = 4;
  std::int64_t block_size = 0;
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;
  BlockOperands operands = {};
  bool operator==(const BlockMatrix&) const = default;
};
BOOST_DESCRIBE_STRUCT(BlockMatrix, (), (bits, block_size, outputs, inputs, operands))

BOOST_DEFINE_ENUM_CLASS(Cell, other, lstm, gru, rnn)

/// `weight` multiplies the data, `recurrent` what the step before gave.
struct RecurrenceOperands {
  std::size_t weight = 1;
  std::size_t recurrent = 2;
  bool operator==(const RecurrenceOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(RecurrenceOperands, (), (weight, recurrent))

/// recurrent.
struct Recurrence {
  Cell cell = Cell::other;
  bool is_batch_first = false;  ///< data are [samples, steps, inputs], not [steps, samples, inputs]
  bool has_codes = false;       ///< its weights are codes
  std::size_t input_axis = 2;   ///< of the weight, which has three
  RecurrenceOperands operands = {};
  bool operator==(const Recurrence&) const = default;
};
BOOST_DESCRIBE_STRUCT(Recurrence, (), (cell, is_batch_first, has_codes, input_axis, operands))

/// max_pool, average_pool, qaverage_pool. All axes but the first and that of channels are
/// positions.
struct Pool {
  Window window = {};
  bool takes_maximum = false;
  std::size_t channel_axis = 1;  ///< of data and result
  bool operator==(const Pool&) const = default;
};
BOOST_DESCRIBE_STRUCT(Pool, (), (window, takes_maximum, channel_axis))

/// Vectors with a number for each channel; batch_norm alone has mean and variance.
struct NormalizationOperands {
  std::size_t scale = 1;
  std::size_t shift = 2;
  std::size_t mean = 3;
  std::size_t variance = 4;
  bool operator==(const NormalizationOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(NormalizationOperands, (), (scale, shift, mean, variance))

/// batch_norm, layer_norm, instance_norm.
struct Normalization {
  float epsilon = 1e-5F;
  bool is_training = false;  ///< by the statistics of the data at hand
  NormalizationOperands operands = {};
  std::size_t channel_axis = 1;  ///< of data and result; layer_norm has none
  bool operator==(const Normalization&) const = default;
};
BOOST_DESCRIBE_STRUCT(Normalization, (), (epsilon, is_training, operands, channel_axis))

/// What gather and gather_elements pick along the axis, and how long the parts are that split makes
/// of it; others have neither.
struct AxisOperands {
  std::size_t indices = 1;
  std::size_t extents = 1;
  bool operator==(const AxisOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(AxisOperands, (), (indices, extents))

/// softmax, concat, gather, gather_elements, split, arg_max, flatten (it is split before the axis).
/// Negative: counted from the end; nothing: the file does not say it.
struct AxisChoice {
  std::optional<std::int64_t> axis = {};
  AxisOperands operands = {};
  bool operator==(const AxisChoice&) const = default;
};
BOOST_DESCRIBE_STRUCT(AxisChoice, (), (axis, operands))

/// A list of axes.
struct AxesOperands {
  std::size_t axes = 1;
  bool operator==(const AxesOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(AxesOperands, (), (axes))

/// squeeze, unsqueeze: axes that the op itself names; empty: its input for them does, if any.
struct NamedAxes {
  std::vector<std::int64_t> axes = {};
  AxesOperands operands = {};
  bool operator==(const NamedAxes&) const = default;
};
BOOST_DESCRIBE_STRUCT(NamedAxes, (), (axes, operands))

/// transpose: for each axis of the result that of the data; empty: in reverse order.
struct Permutation {
  std::vector<std::int64_t> order = {};
  bool operator==(const Permutation&) const = default;
};
BOOST_DESCRIBE_STRUCT(Permutation, (), (order))

/// reduce_mean, reduce_sum, reduce_max, reduce_min.
struct Reduction {
  bool keeps_axes = true;               ///< with an extent of 1
  std::vector<std::int64_t> axes = {};  ///< that the op itself names; empty: its input does
  bool takes_all = true;  ///< all axes where neither names any; else it does nothing then
  AxesOperands operands = {};
  bool operator==(const Reduction&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reduction, (), (keeps_axes, axes, takes_all, operands))

/// Single numbers.
struct BoundsOperands {
  std::size_t low = 1;
  std::size_t high = 2;
  bool operator==(const BoundsOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(BoundsOperands, (), (low, high))

/// clip: bounds that the op itself says; else its inputs are these.
struct Bounds {
  std::optional<float> low = {};
  std::optional<float> high = {};
  BoundsOperands operands = {};
  bool operator==(const Bounds&) const = default;
};
BOOST_DESCRIBE_STRUCT(Bounds, (), (low, high, operands))

/// cast. Nothing: a type that has no DType.
struct Conversion {
  std::optional<DType> to = {};
  bool operator==(const Conversion&) const = default;
};
BOOST_DESCRIBE_STRUCT(Conversion, (), (to))

/// One number for all, or one for each index of the axis.
struct CodingOperands {
  std::size_t scale = 1;
  std::size_t zero_point = 2;
  bool operator==(const CodingOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(CodingOperands, (), (scale, zero_point))

/// quantize, dequantize.
struct Coding {
  std::int64_t axis = 1;            ///< of several scales; negative: counted from the end
  std::optional<DType> codes = {};  ///< where the op says it beside its zero point
  CodingOperands operands = {};
  bool operator==(const Coding&) const = default;
};
BOOST_DESCRIBE_STRUCT(Coding, (), (axis, codes, operands))

/// The shape of the result, whose extents may be -1 and 0.
struct ReshapingOperands {
  std::size_t shape = 1;
  bool operator==(const ReshapingOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReshapingOperands, (), (shape))

/// reshape.
struct Reshaping {
  bool copies_zeros = true;  ///< an extent of 0 stands for the data's in that place
  ReshapingOperands operands = {};
  bool operator==(const Reshaping&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reshaping, (), (copies_zeros, operands))

/// What is added in front of each of the axes, then behind each; the number that fills it; the
/// axes, which are all where the op lacks that input.
struct PaddingOperands {
  std::size_t pads = 1;
  std::size_t filling = 2;
  std::size_t axes = 3;
  bool operator==(const PaddingOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(PaddingOperands, (), (pads, filling, axes))

/// pad.
struct Padding {
  bool is_constant = true;  ///< else what is added is made of the data
  PaddingOperands operands = {};
  /// That the op itself names, of all axes; empty: its input does.
  std::vector<std::int64_t> pads = {};
  bool operator==(const Padding&) const = default;
};
BOOST_DESCRIBE_STRUCT(Padding, (), (is_constant, operands, pads))

/// Lists with an entry for each of the axes that are cut. An op that lacks `axes` cuts the first
/// ones; one that lacks `steps` takes all from begin to end.
struct SlicingOperands {
  std::size_t begins = 1;
  std::size_t ends = 2;
  std::size_t axes = 3;
  std::size_t steps = 4;
  bool operator==(const SlicingOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(SlicingOperands, (), (begins, ends, axes, steps))

/// slice.
struct Slicing {
  SlicingOperands operands = {};
  bool operator==(const Slicing&) const = default;
};
BOOST_DESCRIBE_STRUCT(Slicing, (), (operands))

/// Of expand the shape that the data are broadcast to, of tile how often each axis is repeated.
struct RepetitionOperands {
  std::size_t extents = 1;
  bool operator==(const RepetitionOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(RepetitionOperands, (), (extents))

/// expand, tile.
struct Repetition {
  RepetitionOperands operands = {};
  bool operator==(const Repetition&) const = default;
};
BOOST_DESCRIBE_STRUCT(Repetition, (), (operands))

/// Where the condition holds, an element is `chosen`'s, elsewhere `other`'s.
struct ChoiceOperands {
  std::size_t condition = 0;
  std::size_t chosen = 1;
  std::size_t other = 2;
  bool operator==(const ChoiceOperands&) const = default;
};
BOOST_DESCRIBE_STRUCT(ChoiceOperands, (), (condition, chosen, other))

/// where.
struct Choice {
  ChoiceOperands operands = {};
  bool operator==(const Choice&) const = default;
};
BOOST_DESCRIBE_STRUCT(Choice, (), (operands))

/// resize.
struct Resampling {
  bool is_nearest = true;    ///< else it interpolates
  bool may_fill_in = false;  ///< values from outside of the data
  bool operator==(const Resampling&) const = default;
};
BOOST_DESCRIBE_STRUCT(Resampling, (), (is_nearest, may_fill_in))

/// constant.
struct ConstantValue {
  Tensor value = {};
};
BOOST_DESCRIBE_STRUCT(ConstantValue, (), (value))

/// other: adds all of its inputs.
struct Sum {
  bool operator==(const Sum&) const = default;
};
BOOST_DESCRIBE_STRUCT(Sum, (), ())

/// other: a function of each element, which runtimes join to the product in front of it.
struct Activation {
  bool operator==(const Activation&) const = default;
};
BOOST_DESCRIBE_STRUCT(Activation, (), ())

/// other: each element of the result comes of those in its place of all inputs, which are
/// broadcast to each other.
struct Elementwise {
  bool operator==(const Elementwise&) const = default;
};
BOOST_DESCRIBE_STRUCT(Elementwise, (), ())

/// other: gives new numbers each time.
struct RandomNumbers {
  bool operator==(const RandomNumbers&) const = default;
};
BOOST_DESCRIBE_STRUCT(RandomNumbers, (), ())

/// other: multiplies in a way that no struct here tells.
struct UntoldProduct {
  bool operator==(const UntoldProduct&) const = default;
};
BOOST_DESCRIBE_STRUCT(UntoldProduct, (), ())

/// other: computes with codes in a way that no kind tells.
struct UntoldCodes {
  bool operator==(const UntoldCodes&) const = default;
};
BOOST_DESCRIBE_STRUCT(UntoldCodes, (), ())

/// other: a runtime's own change between channels in blocks and the file's layout.
struct Reorder {
  bool into_blocks = false;
  bool operator==(const Reorder&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reorder, (), (into_blocks))

}  // namespace roles

/// Those of a node. A node whose kind is `other` may have some as well: ops that a runtime makes
/// have a convolution, a product or a pool inside that no kind names.
using AnyRoles =
    std::variant<std::monostate, roles::Convolution, roles::MatrixProduct, roles::BlockMatrix,
                 roles::Recurrence, roles::Pool, roles::Normalization, roles::AxisChoice,
                 roles::NamedAxes, roles::Permutation, roles::Reduction, roles::Bounds,
                 roles::Conversion, roles::Coding, roles::Reshaping, roles::Padding, roles::Slicing,
                 roles::Repetition, roles::Choice, roles::Resampling, roles::ConstantValue,
                 roles::Sum, roles::Activation, roles::RandomNumbers, roles::UntoldProduct,
                 roles::UntoldCodes, roles::Reorder, roles::Elementwise>;

/// The same as a type of its own, which is copied and destroyed in roles.cpp: wherever a variant is
/// itself, the compiler makes a table of its alternatives for each of that, in each file that has a
/// node.
class Roles : public AnyRoles {
 public:
  Roles();
  Roles(const Roles& other);
  Roles(Roles&& other) noexcept;
  Roles& operator=(const Roles& other);
  Roles& operator=(Roles&& other) noexcept;
  ~Roles();

  template <class Role>
  requires boost::mp11::mp_contains<AnyRoles, Role>::value
  // NOLINTNEXTLINE(google-explicit-constructor): as a variant is made of its alternatives
  Roles(Role role)
      : AnyRoles(std::in_place_type<Role>, std::move(role)) {}
};

/// What ops of a kind have where nothing else is said: a frontend begins with these.
const Roles& default_roles(Kind kind);

}  // namespace quantlens
