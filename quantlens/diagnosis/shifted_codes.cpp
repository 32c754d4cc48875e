// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/shifted_codes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/diagnosis/code_reach.h"
#include "quantlens/diagnosis/never_negative.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

constexpr std::int64_t kSlack = 2;  // codes

struct Member {
  std::size_t value, quantized;
  DType dtype;
  QParams params;
  bool is_never_negative;
};

/// The zero point that all channels have.
std::optional<std::int64_t> zero_of(const Codes& codes) {
  for (const QParams& params : codes.params) {
    if (params.zero_point != codes.params.front().zero_point) return {};
  }
  return codes.params.empty() ? std::nullopt : std::optional(codes.params.front().zero_point);
}

std::vector<Member> members_of(const FloatView& reference, const FloatView& quantized,
                               const StructureMatch& match) {
  std::vector<Member> members;
  for (std::size_t q = 0; q < match.values.size(); ++q) {
    const FloatView::Value& value = quantized.values()[q];
    if (!match.values[q] || !match.values[q]->confirmed || value.root != q) continue;
    if (value.sides.empty() || !value.sides.front().codes) continue;
    const Codes& codes = *value.sides.front().codes;
    if (!zero_of(codes) || codes.scheme.dtype == DType::int32) continue;
    const std::size_t r = match.values[q]->reference;
    members.push_back({.value = r,
                       .quantized = q,
                       .dtype = codes.scheme.dtype,
                       .params = codes.params.front(),
                       .is_never_negative = never_negative(reference, r)});
  }
  return members;
}

/// What a maker gives all values of a kind.
bool is_deliberate(std::int64_t zero, const CodeRange& codes, bool is_never_negative) {
  const std::int64_t middle = codes.min + (codes.max - codes.min + 1) / 2;
  return std::abs(zero - middle) <= 1 || (is_never_negative && zero == codes.min);
}

/// Whether 0 is the first or the last code: a maker's choice for a value that stays on one side of
/// it, whatever the others are.
bool is_one_sided(const Member& one) {
  const CodeRange codes = code_limits(one.dtype);
  return one.params.zero_point == codes.min || one.params.zero_point == codes.max;
}

/// The zero point of nine in ten, and how many have it.
std::optional<std::pair<std::int64_t, std::size_t>> usual(const std::vector<Member>& group) {
  std::map<std::int64_t, std::size_t> counts;
  for (const Member& one : group) ++counts[one.params.zero_point];
  const auto most = std::ranges::max_element(
      counts, [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool is_never_negative = group.front().is_never_negative;
  const std::size_t fewest = is_never_negative ? 2 : 8;
  if (most->second < fewest || 10 * most->second < 9 * (group.size() - 1)) return {};
  if (!is_deliberate(most->first, code_limits(group.front().dtype), is_never_negative)) return {};
  return *most;
}

std::string words(const Member& one, std::int64_t zero, std::size_t count, std::size_t others) {
  const auto [low, high] = reach_of(one.dtype, one.params);
  return fmt::format(
      "the zero point of its codes is {}, that of {} of the file's {} other values which {} "
      "negative is {}: its codes reach from {:.3g} to {:.3g}",
      one.params.zero_point, count, others, one.is_never_negative ? "are never" : "may be", zero,
      low, high);
}

}  // namespace

std::vector<ShiftedCodes> shifted_codes(const FloatView& reference, const FloatView& quantized,
                                        const StructureMatch& match) {
  const std::vector<Member> members = members_of(reference, quantized, match);
  std::map<std::pair<DType, bool>, std::vector<Member>> groups;
  std::set<std::pair<bool, std::pair<std::int64_t, float>>> used;
  for (const Member& one : members) {
    groups[{one.dtype, one.is_never_negative}].push_back(one);
    used.insert({one.is_never_negative, {one.params.zero_point, one.params.scale}});
  }
  std::vector<ShiftedCodes> found;
  for (const auto& [key, group] : groups) {
    const auto most = usual(group);
    if (!most) continue;
    for (const Member& one : group) {
      const QParams& params = one.params;
      if (std::abs(params.zero_point - most->first) <= kSlack || is_one_sided(one)) continue;
      if (used.contains({!one.is_never_negative, {params.zero_point, params.scale}})) continue;
      found.push_back({.value = one.value,
                       .quantized = one.quantized,
                       .because = words(one, most->first, most->second, group.size() - 1)});
    }
  }
  return found;
}

}  // namespace quantlens
