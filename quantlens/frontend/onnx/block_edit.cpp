// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/block_edit.h"

#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/domains.h"
#include "quantlens/frontend/onnx/qdq_graph.h"
#include "quantlens/frontend/onnx/unread.h"
#include "quantlens/graph/order.h"

namespace quantlens::onnx {
namespace {

constexpr std::int64_t kIntegerData = 4;  // accuracy_level: the kernel may use int8 for its data

class BlockForm {
 public:
  BlockForm(const Model& model, PlanEdit& edit)
      : model_(model),
        graph_(model.graph),
        index_(model.graph),
        edit_(edit),
        qdq_(model.graph, edit),
        names_(names_of(model.graph, edit)) {}

  void run() {
    for (const EditedNode& edited : qdq_.nodes()) {
      if (!edited.original) continue;
      const std::string& op = op_id(graph_.nodes[*edited.original]);
      at_ = *edited.original;
      const auto use = edit_.blocks.lower_bound({op, 0});
      if (use == edit_.blocks.end() || use->first.first != op) continue;
      convert(edited.node, use->first.second, use->second);
      edit_.edit.removed.insert(at_);
    }
    edit_.edit.opsets[kMicrosoftDomain] = 1;
    drop_unread(index_, edit_.edit);
  }

 private:
  void convert(const Node& node, std::uint64_t input, const BlockUse& use) {
    const bool is_table = node.kind == Kind::gather && input == 0 && use.plan->rows;
    const bool is_product = (node.kind == Kind::matmul || node.kind == Kind::gemm) && input == 1;
    if (node.inputs.size() < 2 || node.outputs.empty() || (!is_table && !is_product)) {
      throw Error(Errc::bad_input,
                  fmt::format("{}: the plan gives '{}' a weight in blocks, which it cannot read; "
                              "make it again",
                              printable(model_.path.string()), printable(op_name(node))));
    }
    if (is_table) {
      add_lookup(node, use);
    } else {
      add_product(node, use);
    }
  }

  Node& insert(Node node) {
    node.domain = kMicrosoftDomain;
    return edit_.edit.inserted.emplace(at_, std::move(node))->second;
  }

  static void add_scheme(const BlockUse& use, Node& node) {
    if (!use.zero_points.empty()) node.inputs.push_back(use.zero_points);
    node.attributes["bits"] = std::int64_t{use.plan->scheme.bits};
    node.attributes["block_size"] = use.plan->scheme.size;
  }

  void add_product(const Node& old, const BlockUse& use) {
    Node node;
    node.name = old.name;
    node.type = "MatMulNBits";
    node.inputs = {old.inputs[0], use.codes, use.scales};
    add_scheme(use, node);
    node.attributes["K"] = use.matrix[use.plan->rows ? 1 : 0];
    node.attributes["N"] = use.matrix[use.plan->rows ? 0 : 1];
    if (use.plan->integer_data) node.attributes["accuracy_level"] = kIntegerData;
    const bool adds = old.inputs.size() > 2 && !old.inputs[2].empty();
    node.outputs = {adds ? names_.take(old.outputs[0] + "_product") : old.outputs[0]};
    const std::string product = insert(std::move(node)).outputs[0];
    if (!adds) return;
    Node bias;
    bias.name = names_.take(op_name(old) + "_bias");
    bias.type = "Add";
    bias.inputs = {product, old.inputs[2]};
    bias.outputs = {old.outputs[0]};
    edit_.edit.inserted.emplace(at_, std::move(bias));
  }

  void add_lookup(const Node& old, const BlockUse& use) {
    Node node;
    node.name = old.name;
    node.type = "GatherBlockQuantized";
    node.inputs = {table_codes(use), old.inputs[1], use.scales};
    add_scheme(use, node);
    node.attributes["gather_axis"] = std::int64_t{0};
    node.attributes["quantize_axis"] = std::int64_t{1};
    node.outputs = {old.outputs[0]};
    insert(std::move(node));
  }

  /// Here the codes of a row are one dimension, not blocks of them.
  const std::string& table_codes(const BlockUse& use) {
    for (NewWeight& weight : edit_.weights) {
      if (weight.name != use.codes || weight.shape.size() != 3) continue;
      const Shape shape{weight.shape[0], weight.shape[1] * weight.shape[2]};
      weight.shape = shape;
      weight.make = [make = std::move(weight.make), shape] {
        const auto codes = std::make_shared<Tensor>(make());
        return Tensor(codes->dtype(), shape, codes->bytes(), codes);
      };
    }
    return use.codes;
  }

  const Model& model_;
  const Graph& graph_;
  GraphIndex index_;
  PlanEdit& edit_;
  QdqGraph qdq_;
  FreeNames names_;
  std::size_t at_ = 0;  ///< the node that is replaced
};

}  // namespace

void use_block_operators(const Model& model, PlanEdit& edit) {
  BlockForm(model, edit).run();
}

}  // namespace quantlens::onnx
