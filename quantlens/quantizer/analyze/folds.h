// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "quantlens/record/plan.h"

namespace quantlens {

/// Ops that disappear, in the order in which they do; asked for one of them without a search.
class Folds {
 public:
  void push_back(Fold fold) {
    ops_.insert(fold.op);
    folds_.push_back(std::move(fold));
  }

  /// Whether the op with this id disappears.
  bool contains(const std::string& op) const { return ops_.contains(op); }

  auto begin() const { return folds_.begin(); }
  auto end() const { return folds_.end(); }
  std::size_t size() const { return folds_.size(); }
  bool empty() const { return folds_.empty(); }
  const Fold& back() const { return folds_.back(); }
  const Fold& operator[](std::size_t at) const { return folds_[at]; }
  const std::vector<Fold>& list() const { return folds_; }

 private:
  std::vector<Fold> folds_;
  std::unordered_set<std::string> ops_;
};

}  // namespace quantlens
