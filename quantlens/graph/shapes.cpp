// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/shapes.h"

#include <optional>
#include <utility>
#include <vector>

#include "quantlens/graph/integer_ops.h"
#include "quantlens/graph/known_shapes.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

namespace rules = shape_rules;

using Numbers = std::optional<std::vector<std::int64_t>>;

class ShapeInference {
 public:
  explicit ShapeInference(const GraphIndex& index) : known_(index) {
    for (const Node& node : index.graph().nodes) {
      infer(node);
      known_.looked_at(node);
    }
  }

  Shapes take() { return known_.take(); }

 private:
  void infer(const Node& node) {
    if (known_.index().constant(op_id(node)) != nullptr)
      return known_.set(op_id(node), known_.shape(op_id(node)));
    if (node.inputs.empty()) return;
    switch (node.kind) {
      case Kind::split:
        return split(node);
      case Kind::dynamic_quantize:  // codes, scale, zero point
        for (std::size_t i = 1; i < node.outputs.size(); ++i) known_.set(node.outputs[i], Dims());
        return known_.set(node.outputs[0], known_.input(node, 0));
      case Kind::dropout:
      case Kind::max_pool: {  // and what was kept, or from where
        const MaybeDims shape = of_result(node);
        for (const std::string& output : node.outputs) known_.set(output, shape);
        return;
      }
      default:
        return known_.set(op_id(node),
                          op_id(node) == node.outputs[0] ? of_result(node) : std::nullopt);
    }
  }

  MaybeDims of_result(const Node& node) const {
    if (is_elementwise(node.kind)) return known_.input(node, 0);
    switch (node.kind) {
      case Kind::batch_norm:
      case Kind::softmax:
      case Kind::layer_norm:
      case Kind::instance_norm:
      case Kind::qleaky_relu:
      case Kind::qsigmoid:
      case Kind::qsoftmax:
        return known_.input(node, 0);
      case Kind::add:
      case Kind::sub:
      case Kind::mul:
      case Kind::div:
      case Kind::pow:
      case Kind::min:
      case Kind::max:
      case Kind::where:
        return of_all(node);
      case Kind::qadd:
      case Kind::qmul:
        return of_codes(node);
      case Kind::conv:
      case Kind::conv_transpose:
      case Kind::qconv:
      case Kind::conv_integer:
        return of_convolution(node);
      case Kind::max_pool:
      case Kind::average_pool:
        return of_pool(node);
      case Kind::global_average_pool:
        return of_global_pool(node);
      case Kind::gemm:
      case Kind::qgemm:
        return of_gemm(node);
      case Kind::matmul:
      case Kind::matmul_integer:
      case Kind::qmatmul:
      case Kind::matmul_integer_to_float:
      case Kind::dynamic_quantize_matmul:
        return of_matmul(node);
      case Kind::matmul_blocks:
        return of_blocks(node);
      case Kind::other:
        return role<roles::Elementwise>(node) != nullptr ? of_all(node) : std::nullopt;
      default:
        return moved_shape(known_, node);
    }
  }

  static MaybeDims of_both(const MaybeDims& a, const MaybeDims& b) {
    if (!a || !b) return std::nullopt;
    return rules::broadcast(*a, *b);
  }

  MaybeDims of_all(const Node& node) const {
    MaybeDims all = Dims();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) all = of_both(all, known_.input(node, i));
    return all;
  }

  /// Of an op on codes: of its operands, not of their scales.
  MaybeDims of_codes(const Node& node) const {
    const std::optional<IntegerOp> op = integer_op(node);
    MaybeDims all = op ? MaybeDims(Dims()) : std::nullopt;
    for (std::size_t i = 0; op && i < op->operands.size(); ++i)
      all = of_both(all, known_.input(node, op->operands[i].tensor));
    return all;
  }

  MaybeDims of_pool(const Node& node) const {
    const auto* pool = role<roles::Pool>(node);
    MaybeDims row = known_.input(node, 0);
    if (pool == nullptr || !row) return std::nullopt;
    return slid(*std::move(row), pool->channel_axis, {pool->window, pool->window.kernel, false});
  }

  MaybeDims of_convolution(const Node& node) const {
    const auto* role = quantlens::role<roles::Convolution>(node);
    if (role == nullptr) return std::nullopt;
    const MaybeDims weight = known_.input(node, role->operands.weight);
    if (!weight || weight->size() < 3 || role->output_axis >= weight->size()) return std::nullopt;
    Dims row = known_.input(node, role->operands.data).value_or(Dims());
    row.resize(weight->size());
    const std::size_t channels = role->channel_axis;
    const bool back = node.kind == Kind::conv_transpose;
    std::vector<std::int64_t> kernel;
    for (std::size_t i = 0; i < weight->size(); ++i) {
      if (i != role->output_axis && i != role->input_axis)
        kernel.push_back((*weight)[i].extent.value_or(-1));
    }
    MaybeDims result = slid(std::move(row), channels, {role->window, kernel, back});
    if (!result) return std::nullopt;
    (*result)[channels] = (*weight)[role->output_axis];
    if (back) (*result)[channels] = rules::times((*result)[channels], role->groups);
    return result;
  }

  struct Slide {
    const roles::Window& window;
    const std::vector<std::int64_t>& kernel;
    bool back = false;
  };

  /// Over the positions of data whose channels come first or last behind the samples.
  static MaybeDims slid(Dims data, std::size_t channels, const Slide& slide) {
    if (data.size() < 2 || (channels != 1 && channels != data.size() - 1)) return std::nullopt;
    const Dim kept = data[channels];
    Dims row =
        rules::slid(std::move(data), channels == 1 ? 2 : 1, slide.window, slide.kernel, slide.back);
    row[channels] = kept;
    return row;
  }

  MaybeDims of_global_pool(const Node& node) const {
    MaybeDims row = known_.input(node, 0);
    for (std::size_t i = 2; row && i < row->size(); ++i) (*row)[i] = {.extent = 1, .symbol = {}};
    return row;
  }

  MaybeDims of_gemm(const Node& node) const {
    const roles::Operands* operands = operands_of(node);
    if (operands == nullptr) return std::nullopt;
    const MaybeDims a = known_.input(node, operands->data),
                    b = known_.input(node, operands->weight);
    Dims row(2);
    if (a && a->size() == 2) row[0] = (*a)[transposes_a(node) ? 1 : 0];
    if (b && b->size() == 2) row[1] = (*b)[transposes_b(node) ? 0 : 1];
    return row;
  }

  MaybeDims of_matmul(const Node& node) const {
    const roles::Operands* operands = operands_of(node);
    const auto* product = role<roles::MatrixProduct>(node);
    if (operands == nullptr || product == nullptr || product->transposes_batch_a)
      return std::nullopt;
    const MaybeDims a = known_.input(node, operands->data),
                    b = known_.input(node, operands->weight);
    if (!a || !b || a->size() < 2 || b->size() < 2) return std::nullopt;
    Dims row = rules::broadcast(*a, *b);
    row[row.size() - 2] = (*a)[a->size() - (product->transposes_a ? 1 : 2)];
    row.back() = (*b)[b->size() - (product->transposes_b ? 2 : 1)];
    return row;
  }

  MaybeDims of_blocks(const Node& node) const {
    const auto* matrix = role<roles::BlockMatrix>(node);
    MaybeDims row = known_.input(node, 0);
    if (matrix == nullptr || !row || row->empty() || matrix->outputs <= 0) return std::nullopt;
    row->back() = {.extent = matrix->outputs, .symbol = {}};
    return row;
  }

  void split(const Node& node) {
    const MaybeDims data = known_.input(node, 0);
    const auto named = axis_of(node);
    if (!data || !named) return;
    const auto axis = rules::axis_number(*named, data->size());
    if (!axis) return;
    const Numbers extents = known_.numbers(part_extents_of(node));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      Dims row = *data;
      row[*axis] = {};
      if (extents && i < extents->size() && (*extents)[i] >= 0) row[*axis].extent = (*extents)[i];
      known_.set(node.outputs[i], row);
    }
  }

  KnownShapes known_;
};

}  // namespace

Shapes shapes(const GraphIndex& index) {
  return ShapeInference(index).take();
}

}  // namespace quantlens
