// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/graph/kind.h"
#include "quantlens/quant/blocks.h"
#include "quantlens/quant/params.h"
#include "quantlens/quant/scheme.h"
#include "quantlens/record/op_ref.h"
#include "quantlens/record/recipe.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

BOOST_DESCRIBE_STRUCT(Scheme, (), (dtype, symmetric, axis, bits))
BOOST_DESCRIBE_ENUM(DType, float32, float64, float16, bfloat16, int8, uint8, int16, uint16, int32,
                    uint32, int64, uint64, int4, uint4, boolean, string)

/// Input number `input` of the op with this id (ops of the reference model).
struct ValueUse {
  std::string op;
  std::uint64_t input = 0;
  bool operator==(const ValueUse&) const = default;
};
BOOST_DESCRIBE_STRUCT(ValueUse, (), (op, input))

/// A value that is quantized and dequantized again; the listed uses read the dequantized one.
struct ActivationPlan {
  std::string value;
  Scheme scheme;
  QParams params;
  float min = 0, max = 0;      ///< the range the parameters were chosen for
  bool all_uses = false;       ///< every reader, graph outputs included (the producer is quantized)
  std::vector<ValueUse> uses;  ///< the readers, where not all
  bool operator==(const ActivationPlan&) const = default;
};
BOOST_DESCRIBE_STRUCT(ActivationPlan, (), (value, scheme, params, min, max, all_uses, uses))

/// A weight or bias stored as integers; the listed uses read it dequantized.
struct WeightPlan {
  std::string weight;           ///< float tensor: of the reference's file, or of Plan::weights
  Scheme scheme;                ///< int32 for a bias
  std::vector<QParams> params;  ///< one, or one a channel
  std::vector<ValueUse> uses;
  bool operator==(const WeightPlan&) const = default;
};
BOOST_DESCRIBE_STRUCT(WeightPlan, (), (weight, scheme, params, uses))

/// A weight stored in blocks of few bits; the listed uses read it so. Codes, scales and zero points
/// follow from it and are computed when it is written.
struct BlockWeightPlan {
  std::string weight;  ///< as in WeightPlan
  bool rows = false;   ///< blocks run along rows, else along columns
  BlockScheme scheme;
  bool integer_data = false;  ///< the kernel may quantize what is multiplied to int8 (MatMul)
  std::vector<ValueUse> uses;
  bool operator==(const BlockWeightPlan&) const = default;
};
BOOST_DESCRIBE_STRUCT(BlockWeightPlan, (), (weight, rows, scheme, integer_data, uses))

/// An op that disappears: node `into` makes its first output instead (batch norm into Conv).
struct Fold {
  std::string op;
  std::string into;
  bool operator==(const Fold&) const = default;
};
BOOST_DESCRIBE_STRUCT(Fold, (), (op, into))

/// An input of an op that reads another float tensor than in the reference (a folded weight, or a
/// bias where there was none).
struct InputEdit {
  ValueUse use;
  std::string weight;    ///< name in Plan::weights
  std::string original;  ///< what it read before; empty: nothing
  bool operator==(const InputEdit&) const = default;
};
BOOST_DESCRIBE_STRUCT(InputEdit, (), (use, weight, original))

/// An input that reads another value than in the reference, in a float model that is edited.
struct ValueEdit {
  ValueUse use;
  std::string value;
  bool operator==(const ValueEdit&) const = default;
};

/// A value that some of its readers read multiplied, in a float model that is edited.
struct Scaling {
  std::string value;
  std::string factor;  ///< name in Plan::weights, one number for each index of the last axis
  std::vector<ValueUse> uses;
  bool operator==(const Scaling&) const = default;
};

/// What the runtime computes an op in. int16: codes that are only moved; w4 and w8: fp32, with
/// weights stored in so many bits.
BOOST_DEFINE_ENUM_CLASS(Precision, fp32, fp16, int16, int8, w8, w4)

/// How an op is written. dynamic: its data are quantized anew for each input.
BOOST_DEFINE_ENUM_CLASS(OpForm, float_, static_, dynamic, weight_only, fp16)

/// What becomes of one op of the reference, and why.
struct OpPlan {
  OpRef op;
  std::string type;
  Kind kind = Kind::other;
  std::vector<std::string> pattern;  ///< types of the ops that one kernel replaces, anchor first
  /// Their ids, in order; the last one's output is the activation.
  std::vector<std::string> members;
  bool quantized = false;
  Precision precision = Precision::fp32;
  std::string reason;  ///< why not, in words; empty where quantized
  OpForm form = OpForm::float_;
  bool operator==(const OpPlan&) const = default;
};
BOOST_DESCRIBE_STRUCT(OpPlan, (),
                      (op, type, kind, pattern, members, quantized, precision, reason, form))

/// What is done for accuracy besides rounding to the nearest code; as recipes say, but for
/// weight_ranges, which is the range algorithm of weights.
BOOST_DEFINE_ENUM_CLASS(AccuracyAlgorithm, bias_correction, cross_layer_equalization, smooth_quant,
                        weight_ranges)

/// What an accuracy algorithm did for one op.
struct AlgorithmEffect {
  AccuracyAlgorithm algorithm = AccuracyAlgorithm::bias_correction;
  OpRef op;
  double gain_db = 0;  ///< by how much it lowers the expected error that it is meant for
  bool operator==(const AlgorithmEffect&) const = default;
};
BOOST_DESCRIBE_STRUCT(AlgorithmEffect, (), (algorithm, op, gain_db))

/// What the quantizer decided. Pure data; `frontend::apply` turns it into a file.
struct Plan {
  QuantFormat quant_format = QuantFormat::qdq;
  std::vector<OpPlan> ops;  ///< every op of the reference, in its order
  std::vector<ActivationPlan> activations;
  std::vector<WeightPlan> weights_quantized;
  std::vector<BlockWeightPlan> weights_in_blocks;
  std::vector<Fold> folds;
  std::vector<InputEdit> input_edits;
  std::vector<AlgorithmEffect> effects;
  std::map<std::string, Tensor> weights;  ///< edited float tensors by new name (not in plan.json)
  // Of edits of a float model alone (not in plan.json):
  std::vector<Scaling> scalings;
  std::vector<ValueEdit> value_edits;
  std::vector<std::string> removed;  ///< ids of ops that nothing reads any more
};
BOOST_DESCRIBE_STRUCT(Plan, (),
                      (quant_format, ops, activations, weights_quantized, weights_in_blocks, folds,
                       input_edits, effects))

}  // namespace quantlens
