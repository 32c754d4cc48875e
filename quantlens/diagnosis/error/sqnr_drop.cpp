// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/sqnr_drop.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "quantlens/graph/order.h"

namespace quantlens {
namespace {

constexpr double kBestDb = 60;

class Drops {
 public:
  Drops(const Graph& reference, const std::vector<ActivationRow>& rows) : index_(reference) {
    for (const ActivationRow& row : rows) {
      const double sqnr = std::min(row.sqnr_db, kBestDb);
      const auto known = sqnr_.emplace(row.value, sqnr).first;
      known->second = std::min(known->second, sqnr);  // of several quantized sides the worst
    }
  }

  std::optional<double> of(const ActivationRow& row) const {
    const std::optional<double> before = worst_before(row.value);
    if (!before) return std::nullopt;
    const double drop = *before - std::min(row.sqnr_db, kBestDb);
    return std::isfinite(drop) ? std::optional(drop) : std::nullopt;
  }

 private:
  /// The lowest SQNR among the rows that `value` is computed from, the nearest of each path.
  std::optional<double> worst_before(const std::string& value) const {
    std::optional<double> worst;
    std::unordered_set<std::string> seen{value};
    std::vector<std::string> todo{value};
    while (!todo.empty()) {
      const std::optional<std::size_t> producer = index_.producer(todo.back());
      todo.pop_back();
      if (!producer) continue;
      const Node& node = index_.graph().nodes[*producer];
      std::vector<std::string> inputs = node.inputs;
      if (!node.subgraphs.empty()) {
        const std::vector<std::string> captured = captured_values(node);
        inputs.insert(inputs.end(), captured.begin(), captured.end());
      }
      for (const std::string& input : inputs) {
        if (!seen.insert(input).second) continue;
        if (const auto row = sqnr_.find(input); row != sqnr_.end()) {
          worst = std::min(worst.value_or(row->second), row->second);
        } else {
          todo.push_back(input);
        }
      }
    }
    return worst;
  }

  GraphIndex index_;
  std::unordered_map<std::string, double> sqnr_;
};

}  // namespace

void add_sqnr_drops(const Graph& reference, std::vector<ActivationRow>& rows) {
  const Drops drops(reference, rows);
  for (ActivationRow& row : rows) row.sqnr_drop_db = drops.of(row);
}

}  // namespace quantlens
