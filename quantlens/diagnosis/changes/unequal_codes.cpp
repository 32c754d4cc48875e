// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/unequal_codes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "quantlens/graph/integer_ops.h"

namespace quantlens {
namespace {

const QParams& params_at(const Codes& codes, std::size_t channel) {
  return codes.params[codes.params.size() == 1 ? 0 : channel];
}

bool are_equal(const QParams& a, const QParams& b) {
  constexpr float kLastDigits = 1e-5F;
  if (a.zero_point != b.zero_point) return false;
  if (std::isnan(a.scale) && std::isnan(b.scale)) return true;
  if (!std::isfinite(a.scale) || !std::isfinite(b.scale)) return a.scale == b.scale;
  return std::abs(a.scale - b.scale) <= kLastDigits * a.scale;
}

std::size_t first_difference(const Codes& a, const Codes& b) {
  const std::size_t count = std::max(a.params.size(), b.params.size());
  for (std::size_t c = 0; c < count; ++c) {
    if (!are_equal(params_at(a, c), params_at(b, c))) return c;
  }
  return 0;
}

/// What a node takes the codes of its inputs for: (number of the input, codes).
std::vector<std::pair<std::size_t, Codes>> read_by(const GraphIndex& index, const Node& node) {
  std::vector<std::pair<std::size_t, Codes>> reads;
  if (node.kind == Kind::dequantize) {
    if (auto codes = codes_of(index, node, node.inputs[0], 0)) reads.emplace_back(0, *codes);
  } else if (const auto integer = integer_op(node)) {
    for (const CodeInputs& from : integer->operands) {
      if (!from.scale || *from.scale >= node.inputs.size()) continue;
      const bool has_zero = from.zero_point && *from.zero_point < node.inputs.size();
      auto codes = codes_with(index,
                              {.scale = node.inputs[*from.scale],
                               .zero_point = has_zero ? node.inputs[*from.zero_point] : "",
                               .dtype = DType::uint8,
                               .axis = {}},
                              node.inputs[from.tensor]);
      if (codes) reads.emplace_back(from.tensor, std::move(*codes));
    }
  }
  return reads;
}

/// The ops that compute with what a node reads as codes.
void add_readers(const GraphIndex& index, std::size_t number, std::vector<std::size_t>& nodes) {
  const Node& node = index.graph().nodes[number];
  if (node.kind != Kind::dequantize) {
    nodes.push_back(number);
    return;
  }
  for (const Use& use : index.uses(node.outputs[0])) nodes.push_back(use.node);
}

}  // namespace

bool mean_the_same(const Codes& a, const Codes& b) {
  const std::size_t count = std::max(a.params.size(), b.params.size());
  const auto fits = [&](const Codes& codes) {
    return codes.params.size() == 1 || codes.params.size() == count;
  };
  if (!fits(a) || !fits(b)) return true;  // the file is broken otherwise, and will not load
  for (std::size_t c = 0; c < count; ++c) {
    if (!are_equal(params_at(a, c), params_at(b, c))) return false;
  }
  return true;
}

void add_params(const std::string& name, const Codes& codes, const Codes& other,
                Statement& statement) {
  const std::size_t channel = first_difference(codes, other);
  const QParams& params = params_at(codes, channel);
  statement.figures[name + "_scale"] = figure::number(params.scale);
  statement.figures[name + "_zero_point"] = figure::whole(params.zero_point);
  if (codes.params.size() > 1) statement.figures[name + "_channel"] = figure::count(channel);
}

std::vector<UnequalCodes> unequal_codes(const FloatView& view) {
  const GraphIndex& index = view.index();
  std::unordered_map<std::string, std::pair<std::size_t, const Codes*>> written;
  for (std::size_t v = 0; v < view.values().size(); ++v) {
    for (const CodeSide& side : view.values()[v].sides) {
      if (side.codes) written.emplace(side.tensor, std::pair(v, &*side.codes));
    }
  }
  std::vector<UnequalCodes> found;
  std::vector<std::size_t> places;  // of each: inputs that read so
  for (std::size_t n = 0; n < index.graph().nodes.size(); ++n) {
    const Node& node = index.graph().nodes[n];
    for (auto& [input, codes] : read_by(index, node)) {
      const std::string& tensor = node.inputs[input];
      const auto from = written.find(tensor);
      if (from == written.end() || mean_the_same(*from->second.second, codes)) continue;
      const auto same = std::ranges::find_if(found, [&, &read = codes](const UnequalCodes& one) {
        return one.tensor == tensor && mean_the_same(one.read, read);
      });
      const auto at = static_cast<std::size_t>(same - found.begin());
      if (same == found.end()) {
        found.push_back({.value = from->second.first,
                         .tensor = tensor,
                         .nodes = {},
                         .by_all = false,
                         .written = *from->second.second,
                         .read = codes});
        places.push_back(0);
      }
      ++places[at];
      add_readers(index, n, found[at].nodes);
      found[at].by_all = places[at] == index.uses(tensor).size();
    }
  }
  return found;
}

}  // namespace quantlens
