// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/op_rows.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {

namespace {

/// The outputs of one name.
struct Outputs {
  std::string_view name;
  std::optional<std::size_t> count;
  std::vector<std::string> types;  ///< one for each, or one for all
};

std::string type_of(std::string_view word, const Node& node) {
  if (word.starts_with('=')) return std::string(word.substr(1));
  const std::size_t bar = word.find('|');
  const std::string otherwise(bar == std::string_view::npos ? "" : word.substr(bar + 1));
  return attribute_string(node, std::string(word.substr(0, bar)), otherwise);
}

std::optional<std::size_t> number_of(std::string_view attribute, const Node& node) {
  const std::int64_t number = attribute_int(node, std::string(attribute), -1);
  return number < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(number));
}

/// Those that stand between two spaces of a row.
Outputs outputs_of(std::string_view text, const Node& node) {
  if (text.ends_with(']')) {
    const std::size_t list = text.find('[');
    Outputs outputs{.name = text.substr(0, list), .count = {}, .types = {}};
    const auto found =
        node.attributes.find(std::string(text.substr(list + 1, text.size() - list - 2)));
    if (found == node.attributes.end()) return outputs;
    if (const auto* words = std::get_if<std::vector<std::string>>(&found->second))
      outputs.types = *words;
    outputs.count = outputs.types.size();
    return outputs;
  }
  const std::size_t colon = text.find(':'), star = text.find('*');
  Outputs outputs{.name = text.substr(0, std::min(colon, star)),
                  .count = 1,
                  .types = {type_of(text.substr(colon + 1), node)}};
  if (star != std::string_view::npos)
    outputs.count = number_of(text.substr(star + 1, colon - star - 1), node);
  return outputs;
}

/// Calls `each` of outputs of one name after the other, until it returns false.
template <class F>
void for_each_outputs(const OpRow& row, const Node& node, const F& each) {
  std::string_view rest = row.outputs;
  while (!rest.empty()) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    if (!each(outputs_of(rest.substr(0, space), node))) return;
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
}

// Sorted. What they give is for training, files and people.
constexpr std::array<std::string_view, 14> kAside = {
    "Assign",      "AssignAdd",          "AssignSub",    "NextIteration", "Print",
    "ReadFile",    "RefNextIteration",   "RestoreSlice", "RestoreV2",     "ShardedFilename",
    "VarHandleOp", "VarIsInitializedOp", "Variable",     "VariableV2",
};
static_assert(std::ranges::is_sorted(kAside));

// How ops of oneDNN are named. Native ones take and give what the op does whose place they take;
// others may take and give notes of blocked layouts as well.
constexpr std::string_view kNative = "_MklNative";
constexpr std::string_view kBlocked = "_Mkl";

const OpRow* row_of(std::string_view type) {
  const auto found = std::ranges::lower_bound(op_rows(), type, {}, &OpRow::type);
  return found == op_rows().end() || found->type != type ? nullptr : &*found;
}

}  // namespace

std::string plain_type(std::string_view type) {
  for (const std::string_view prefix : {kNative, kBlocked}) {
    if (!type.starts_with(prefix)) continue;
    const std::string_view bare = type.substr(prefix.size());
    const std::string fused = fmt::format("_{}", bare);
    return std::string(row_of(fused) != nullptr ? fused : bare);
  }
  return std::string(type);
}

const OpRow* find_op(std::string_view type) {
  return row_of(type.starts_with(kNative) ? plain_type(type) : type);
}

std::optional<std::size_t> count_outputs(const OpRow& row, const Node& node) {
  std::optional<std::size_t> all = 0;
  for_each_outputs(row, node, [&](const Outputs& outputs) {
    all = outputs.count ? std::optional(*all + *outputs.count) : std::nullopt;
    return all.has_value();
  });
  return all;
}

std::optional<std::size_t> output_number(const OpRow& row, const Node& node, std::string_view name,
                                         std::size_t index) {
  std::optional<std::size_t> number;
  std::size_t before = 0;
  for_each_outputs(row, node, [&](const Outputs& outputs) {
    if (outputs.name == name && (!outputs.count || index < *outputs.count)) number = before + index;
    before += outputs.count.value_or(0);
    return outputs.name != name && outputs.count;
  });
  return number;
}

std::vector<ResultType> result_types(const OpRow& row, const Node& node) {
  std::vector<ResultType> results;
  for_each_outputs(row, node, [&](const Outputs& outputs) {
    for (std::size_t i = 0; i < outputs.count.value_or(0) && results.size() < node.outputs.size();
         ++i) {
      const auto dtype = dtype_of_word(outputs.types[std::min(i, outputs.types.size() - 1)]);
      if (!dtype) return false;
      results.push_back({.dtype = dtype});
    }
    return results.size() < node.outputs.size();
  });
  return results;
}

bool is_aside(std::string_view type) {
  return std::ranges::binary_search(kAside, type) || type.ends_with("Summary") ||
         type.ends_with("SummaryV2");
}

}  // namespace quantlens::graphdef
