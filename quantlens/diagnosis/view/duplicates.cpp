// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/duplicates.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "quantlens/graph/compare_nodes.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostComparedBytes =
    4096;  ///< of constants that are compared under several names

bool may_be_random(const Node& node) {
  return node.kind == Kind::control_flow || node.kind == Kind::recurrent ||
         role<roles::RandomNumbers>(node) != nullptr;
}

/// What two ops must have in common to compute the same; attributes are compared apart.
struct Key {
  std::string type;                                   ///< with its set
  std::vector<std::pair<int, std::size_t>> operands;  ///< (what it is, number)
  auto operator<=>(const Key&) const = default;
};

class DuplicateFinder {
 public:
  explicit DuplicateFinder(const FloatView& view) : view_(view), first_(view.values().size()) {
    for (std::size_t i = 0; i < first_.size(); ++i) first_[i] = i;
  }

  std::vector<std::size_t> run() {
    for (std::size_t number = 0; number < view_.ops().size(); ++number) {
      const FloatView::Op& op = view_.ops()[number];
      const Node& node = view_.node(op);
      if (may_be_random(node)) continue;
      std::vector<std::size_t>& alike = known_[key_of(op, node)];
      const auto same = std::ranges::find_if(alike, [&](std::size_t other) {
        return is_same_but_operands(node, view_.node(view_.ops()[other]));
      });
      if (same == alike.end()) {
        if (alike.size() < kMostAlike) alike.push_back(number);
        continue;
      }
      const auto& outputs = view_.ops()[*same].outputs;
      for (std::size_t k = 0; k < std::min(outputs.size(), op.outputs.size()); ++k) {
        if (outputs[k] && op.outputs[k]) first_[*op.outputs[k]] = first_[*outputs[k]];
      }
    }
    return std::move(first_);
  }

 private:
  static constexpr std::size_t kMostAlike = 64;

  Key key_of(const FloatView::Op& op, const Node& node) {
    Key key{.type = full_type(node), .operands = {}};
    for (const FloatView::Operand& operand : op.operands) {
      if (operand.value) {
        key.operands.emplace_back(0, first_[*operand.value]);
      } else if (operand.constant) {
        key.operands.emplace_back(1, first_constant(*operand.constant));
      } else {
        // absent, or known by name only: never the same as another
        key.operands.emplace_back(
            2, node.inputs.size() > key.operands.size() && !node.inputs[key.operands.size()].empty()
                   ? ++unknown_
                   : 0);
      }
    }
    return key;
  }

  /// The first constant of the same contents, of small ones.
  std::size_t first_constant(std::size_t number) {
    const FloatView::Constant& constant = view_.constants()[number];
    const Tensor& stored = *constant.stored;
    if (constant.codes || constant.blocks || stored.bytes().size() > kMostComparedBytes ||
        byte_size(stored.dtype()) == 0)
      return number;
    std::string contents(reinterpret_cast<const char*>(stored.bytes().data()),
                         stored.bytes().size());
    contents += std::string(name(stored.dtype())) + to_string(stored.shape());
    contents += constant.transposed ? 't' : ' ';
    return constants_.try_emplace(std::move(contents), number).first->second;
  }

  static bool is_same_but_operands(const Node& a, const Node& b) {
    return a.outputs.size() == b.outputs.size() && have_same_attributes(a, b);
  }

  const FloatView& view_;
  std::vector<std::size_t> first_;
  std::map<Key, std::vector<std::size_t>> known_;  // ops
  std::map<std::string, std::size_t> constants_;   // by contents
  std::size_t unknown_ = 0;
};

}  // namespace

std::vector<std::size_t> first_equals(const FloatView& view) {
  return DuplicateFinder(view).run();
}

}  // namespace quantlens
