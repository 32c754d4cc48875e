// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/quant/params.h"
#include "quantlens/quant/scheme.h"
#include "quantlens/record/op_ref.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/statement.h"

namespace quantlens {

/// Which tensor of the quantized model stands for a value (design: quantized side of a value).
BOOST_DEFINE_ENUM_CLASS(Side, q_output, integer_output, float_)

/// What told that two values belong together: what the quantizer wrote into the file, their names,
/// their places in the two networks.
BOOST_DEFINE_ENUM_CLASS(FoundBy, metadata, name, structure)

/// A value of the reference and its quantized side.
struct ValuePair {
  OpRef op;          ///< whose activation it is; both are a graph input's own name
  std::string type;  ///< of the anchor; "Input" for graph inputs
  std::vector<std::string> pattern;
  std::string reference;  ///< value of the reference
  std::string quantized;  ///< value of the quantized model
  Side side = Side::float_;
  /// What the quantized model computes the op in, as its file says; absent of inputs.
  std::optional<Precision> precision = {};
  std::optional<Scheme> scheme;  ///< absent for a float side
  std::optional<QParams> params;
  std::vector<QParams> channel_params;  ///< where each index of scheme.axis has its own; else empty
  FoundBy found_by = FoundBy::structure;
  /// Ops, constants and operands agree with it, back to the inputs or to weights that agree; what
  /// is not confirmed is a suspect where the values do not correlate.
  bool confirmed = false;
  /// Number of the pair whose elements these are, only moved: statistics are gathered there.
  std::optional<std::uint64_t> same_as;
  /// Axis of the value's channels: sums are gathered for each; absent where it has none.
  std::optional<int> channel_axis;
  std::vector<std::uint32_t> channel_histograms;  ///< channels with histograms, ascending
  /// The quantized model's constant by which it multiplies the value before it makes codes of it
  /// (SmoothQuant); `channel_params` take that back. Empty: none.
  std::string input_factors;
  bool operator==(const ValuePair&) const = default;
};
BOOST_DESCRIBE_STRUCT(ValuePair, (),
                      (op, type, pattern, reference, quantized, side, precision, scheme, params,
                       channel_params, found_by, confirmed, same_as, channel_axis,
                       channel_histograms, input_factors))

/// A weight of the reference (after folding, if it was) and its integer tensor.
struct WeightPair {
  OpRef op;
  std::string type;
  std::string reference;    ///< name in the reference's file
  std::string quantized;    ///< integer tensor of the quantized model
  bool folded = false;      ///< compare with the weight after folding batch norm
  bool transposed = false;  ///< the integer tensor has the matrix's axes swapped
  Scheme scheme;
  std::vector<QParams> params;
  bool in_blocks = false;  ///< each block has a scale, which stands in the file alone
  /// The quantized model's constant by which it multiplies what the op reads, and whose inverse is
  /// in the weight (SmoothQuant); empty: none.
  std::string input_factors;
  bool operator==(const WeightPair&) const = default;
};
BOOST_DESCRIBE_STRUCT(WeightPair, (),
                      (op, type, reference, quantized, folded, transposed, scheme, params,
                       in_blocks, input_factors))

/// A value that has a counterpart but was left out of the comparison.
struct NotCompared {
  std::string value;
  std::string reason;
  bool operator==(const NotCompared&) const = default;
};
BOOST_DESCRIBE_STRUCT(NotCompared, (), (value, reason))

/// A pair whose values do not go together on the first sample, and which little else speaks for.
struct SuspectPair {
  std::string value;      ///< of the reference
  std::string quantized;  ///< value of the quantized model
  OpRef op;
  FoundBy found_by = FoundBy::structure;
  double correlation = 0;  ///< of the elements of the first sample
  bool operator==(const SuspectPair&) const = default;
};
BOOST_DESCRIBE_STRUCT(SuspectPair, (), (value, quantized, op, found_by, correlation))

/// What two files may do otherwise: the rules of docs/rules.md that are about that.
BOOST_DEFINE_ENUM_CLASS(ChangeRule, changed_op, changed_weight, lost_bias, unequal_codes,
                        shifted_codes)

/// What an op and the one that stands for it do otherwise, though no quantization makes that:
/// known from the two files alone (docs/rules.md).
struct Change {
  ChangeRule rule = ChangeRule::changed_op;
  OpRef op;                ///< whose activation shows it
  std::vector<OpRef> ops;  ///< the changed one first
  std::string value;       ///< of the reference: that activation
  std::string weight;      ///< the reference's constant; empty: it is about none
  Statements reasons;      ///< what differs, with the figures
  bool operator==(const Change&) const = default;
};
BOOST_DESCRIBE_STRUCT(Change, (), (rule, op, ops, value, weight, reasons))

/// How the two models belong together, leftovers shown.
struct Pairing {
  std::vector<ValuePair> pairs;  ///< in the order of the reference's ops
  std::vector<WeightPair> weights;
  std::vector<std::string> only_reference;  ///< values that no quantized tensor stands for
  std::vector<std::string> only_quantized;  ///< tensors of codes that stand for no value
  std::vector<NotCompared> not_compared;
  std::vector<SuspectPair> suspects;  ///< of `pairs`, known once the first sample is run
  std::vector<Change> changes;        ///< in the order of the reference's ops
  /// Ids of ops of the reference whose constants the quantized model has in an op before.
  std::vector<std::string> folded_ops;
};
BOOST_DESCRIBE_STRUCT(Pairing, (),
                      (pairs, weights, only_reference, only_quantized, not_compared, suspects,
                       changes, folded_ops))

}  // namespace quantlens
