// A plan beside the graph that it is for: what its parts name, looked up and checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "quantlens/frontend/graphdef/edit.h"
#include "quantlens/frontend/graphdef/integer_nodes.h"
#include "quantlens/graph/order.h"
#include "quantlens/record/plan.h"

namespace quantlens::graphdef {

class PlanContext {
 public:
  /// Both outlive it.
  PlanContext(const GraphFile& file, const Plan& plan);

  const GraphFile& file() const { return file_; }
  const GraphIndex& index() const { return index_; }
  const Node& node(std::size_t number) const { return index_.graph().nodes[number]; }

  /// Throws Errc::bad_input: the plan was made for another model.
  [[noreturn]] void fail(std::string_view problem) const;

  /// The node with this id.
  std::size_t node_of(const std::string& op) const;
  /// As it stands in the file; throws Errc::unsupported for one in a function.
  const NodeParts& parts_of(std::size_t number) const;
  /// Of an input, where among those in the file it stands; control edges do not count.
  std::optional<std::size_t> position_of(std::size_t number, std::uint64_t input) const;
  bool has_value(const std::string& value) const;

  const InputEdit* edit_of(const std::string& op, std::uint64_t input) const;
  const WeightPlan* weight_of(const std::string& op, std::uint64_t input) const;
  /// The plan of a value that an op gives as codes to all who read it; null: there is none.
  const ActivationPlan* made(const std::string& value) const;
  /// A float tensor of the plan or of the graph; null where there is none.
  const Tensor* floats(const std::string& name) const;
  /// What an input reads after the plan's edits, where that is a constant; else null.
  const Tensor* constant(const Node& node, std::size_t input) const;

  /// The type of codes with these parameters; `name`: what messages call them.
  Type code_type(const Scheme& scheme, std::span<const QParams> params,
                 const std::string& name) const;

 private:
  using Place = std::pair<std::string, std::uint64_t>;  // an op's input

  const GraphFile& file_;
  const Plan& plan_;
  GraphIndex index_;
  std::unordered_map<std::string_view, std::size_t> ops_;
  std::map<Place, const InputEdit*> edits_;
  std::map<Place, const WeightPlan*> weights_;
  std::unordered_map<std::string_view, const ActivationPlan*> made_;
};

}  // namespace quantlens::graphdef
