// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quantlens/record/plan.h"

namespace quantlens {

/// Edits of inputs in the order in which they were made, found by op without a search: a network
/// may have as many as it has ops.
class InputEdits {
 public:
  void push_back(InputEdit edit) {
    of_op_[edit.use.op].push_back(edits_.size());
    edits_.push_back(std::move(edit));
  }

  /// The first one of this input of the op with this id; null where there is none.
  const InputEdit* find(const std::string& op, std::size_t input) const {
    const auto found = of_op_.find(op);
    if (found == of_op_.end()) return nullptr;
    for (const std::size_t at : found->second) {
      if (edits_[at].use.input == input) return &edits_[at];
    }
    return nullptr;
  }

  auto begin() const { return edits_.begin(); }
  auto end() const { return edits_.end(); }
  std::size_t size() const { return edits_.size(); }
  bool empty() const { return edits_.empty(); }
  const InputEdit& operator[](std::size_t at) const { return edits_[at]; }
  const std::vector<InputEdit>& list() const { return edits_; }

 private:
  std::vector<InputEdit> edits_;
  std::unordered_map<std::string, std::vector<std::size_t>> of_op_;  // positions in edits_
};

}  // namespace quantlens
