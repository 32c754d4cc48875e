// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {

/// NaN or infinities, from the first op that makes them on.
std::vector<Finding> nonfinite(const Evidence& evidence) {
  const ActivationRow* first = nullptr;
  std::optional<std::size_t> at;
  std::size_t rows = 0;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    if (row.nonfinite == 0) continue;
    ++rows;
    const auto number = evidence.reference().producer(row.value);
    if (first && number >= at) continue;
    first = &row;
    at = number;
  }
  if (first == nullptr) return {};
  const double outputs = evidence.outputs().nonfinite;
  std::string because = fmt::format(
      "{} {} NaN or infinities{}: {} of its {} pairs; no figure includes them",
      counted(rows, "activation"), rows == 1 ? "holds" : "hold",
      rows == 1 ? "" : ", this one first", first->nonfinite, first->nonfinite + first->elements);
  if (outputs > 0) because += fmt::format("; of an output they are {:.2g} %", 100 * outputs);
  return {{.rule = "nonfinite",
           .op = first->name,
           .ops = {first->name},
           .because = std::move(because),
           .remedy = {},
           .severity = first->elements == 0 || outputs > 0 ? "problem" : "note"}};
}

}  // namespace quantlens
