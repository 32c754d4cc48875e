// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/diagnosis/view/codes.h"
#include "quantlens/graph/order.h"
#include "quantlens/quant/blocks.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// A tensor of codes that stands for a value.
struct CodeSide {
  std::string tensor;
  Side side = Side::q_output;
  std::optional<Codes> codes;
  std::string obstacle;  ///< why there are no `codes`; empty where there are
};

/// A graph as if nothing in it were quantized, so that graphs in any number format can be held
/// against each other: a tensor, its codes and what is dequantized from them are one value; an op
/// on codes is the op on floats that it stands for; a constant is what it dequantizes to. Values
/// inside subgraphs are not seen. Views the graph, which must outlive it unchanged.
class FloatView {
 public:
  /// Where a value is read.
  struct Reader {
    std::size_t op = 0;
    std::size_t operand = 0;
  };
  struct Value {
    std::vector<std::string> floats;      ///< its float tensors, in order of flow; may be none
    std::vector<CodeSide> sides;          ///< its tensors of codes
    std::optional<std::size_t> producer;  ///< nothing for graph inputs
    std::size_t output = 0;               ///< number among the producer's outputs
    std::vector<Reader> readers;
    bool is_input = false;
    bool is_constant = false;  ///< computed from nothing but constants
    bool is_output = false;
    /// The value that has the same elements and is computed, not only moved by Reshape, Transpose
    /// and the like; often itself.
    std::size_t root = 0;
    std::optional<std::vector<Dim>> shape;  ///< as the file says it
    std::optional<DType> dtype;             ///< of a float tensor, likewise
  };
  struct Constant {
    std::string name;  ///< of the stored tensor, or of the codes made from it
    const Tensor* stored = nullptr;
    std::optional<Codes> codes;         ///< how it is dequantized
    bool transposed = false;            ///< a matrix that is read with its axes swapped
    std::optional<BlockReader> blocks;  ///< the matrix that `stored` holds in blocks of codes
    bool is_computed = false;  ///< `stored` holds floats that the model itself turns into codes
  };
  /// What an op reads: a value, or a constant, or neither (absent, or known by name only).
  struct Operand {
    std::optional<std::size_t> value;
    std::optional<std::size_t> constant;
  };
  struct Op {
    std::size_t node = 0;
    Kind kind = Kind::other;  ///< of the op on floats
    std::vector<Operand> operands;
    std::vector<std::optional<std::size_t>> outputs;
    bool accumulates = false;  ///< its constants dequantize by a scale that is applied behind it
    roles::Operands at = {};   ///< which operands are what, where `kind` multiplies by a weight
  };

  explicit FloatView(const GraphIndex& index);

  const GraphIndex& index() const { return *index_; }
  const Node& node(const Op& op) const { return index_->graph().nodes[op.node]; }
  const std::vector<Op>& ops() const { return ops_; }  ///< in order of flow
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Constant>& constants() const { return constants_; }
  const std::vector<std::optional<std::size_t>>& inputs() const { return inputs_; }
  const std::vector<std::optional<std::size_t>>& outputs() const { return outputs_; }
  /// Of an op that multiplies by a weight: null where that is no constant, or it has no bias.
  const Constant* constant_weight(const Op& op) const { return constant_at(op, op.at.weight); }
  const Constant* constant_bias(const Op& op) const {
    return op.at.bias ? constant_at(op, *op.at.bias) : nullptr;
  }
  /// The value that a tensor belongs to.
  std::optional<std::size_t> value_of(const std::string& tensor) const;

 private:
  class Builder;

  const Constant* constant_at(const Op& op, std::size_t operand) const {
    const bool is_one = operand < op.operands.size() && op.operands[operand].constant;
    return is_one ? &constants_[*op.operands[operand].constant] : nullptr;
  }

  const GraphIndex* index_;
  std::vector<Op> ops_;
  std::vector<Value> values_;
  std::vector<Constant> constants_;
  std::unordered_map<std::string, std::size_t> value_of_;
  std::vector<std::optional<std::size_t>> inputs_, outputs_;  ///< of the graph, by position
};

/// Whether an op computes with codes: it is an integer op, or a constant that it reads is in codes.
bool computes_with_codes(const FloatView& view, const FloatView::Op& op);

/// Whether an op gives the elements of its first input, unchanged up to their float format.
bool only_moves(const Node& node);

}  // namespace quantlens
