// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "quantlens/frontend/graphdef/names.h"
#include "quantlens/frontend/graphdef/plan_context.h"

namespace quantlens::graphdef {

/// The constants that a plan adds to a graph. Each is a new node in front of `place`, a node of the
/// file.
class NewConstants {
 public:
  /// Adds them to `edit`. All outlive it.
  NewConstants(const PlanContext& context, Edit& edit)
      : context_(context), edit_(edit), names_(context.file()) {}

  /// A name for a new node.
  std::string take(const std::string& wanted) { return names_.take(wanted); }

  /// A float tensor of the plan, once for all who read it.
  std::string floats(const std::string& place, const std::string& weight);
  std::string bias(const std::string& place, const std::string& op, const Tensor& numbers);

  struct Weight {
    std::string codes;
    RangeNodes range;
  };
  /// Codes of a weight, once for all who read it.
  const Weight& weight(const std::string& place, const WeightPlan& plan);

  /// The range that codes of a value cover.
  RangeNodes range(const std::string& place, const std::string& value, Type type,
                   const QParams& params);

 private:
  std::string add(const std::string& place, const std::string& wanted, const NewTensor& tensor);
  std::string add(const std::string& place, const std::string& wanted, const Tensor& floats);
  void check(const WeightPlan& plan, const Tensor& tensor) const;

  const PlanContext& context_;
  Edit& edit_;
  FreeNames names_;
  std::map<std::string, std::string> floats_;  // by name in the plan
  std::map<const WeightPlan*, Weight> weights_;
};

}  // namespace quantlens::graphdef
