// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/durations.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quantlens::imports {
namespace {

constexpr double kFinest = 1e-3;  // microseconds: shorter ones share a bin
constexpr double kNormal95 = 1.959963984540054;

std::uint32_t bin_of(double us) {
  static const double kWidth = std::log(1.01);
  if (us < kFinest) return 0;
  return 1 + static_cast<std::uint32_t>(std::log(us / kFinest) / kWidth);
}

}  // namespace

bool Budget::take(std::size_t wanted) {
  if (wanted > bytes) return false;
  bytes -= wanted;
  return true;
}

void Durations::add(double us, Budget& budget) {
  ++count_;
  sum_ += us;
  if (bins_.empty() && values_.size() < exact_ && budget.take(2 * sizeof(double))) {
    sorted_ = sorted_ && (values_.empty() || values_.back() <= us);
    values_.push_back(us);
    return;
  }
  if (!values_.empty()) to_bins(budget);
  add_bin({.index = bin_of(us), .count = 1, .sum = us}, budget);
}

void Durations::merge(const Durations& other, Budget& budget) {
  for (const double us : other.values_) add(us, budget);
  if (other.bins_.empty()) return;
  if (!values_.empty()) to_bins(budget);
  for (const Bin& bin : other.bins_) {
    count_ += bin.count;
    sum_ += bin.sum;
    add_bin(bin, budget);
  }
}

void Durations::to_bins(Budget& budget) {
  const std::vector<double> values = std::exchange(values_, {});
  budget.bytes += 2 * sizeof(double) * values.size();
  for (const double us : values) {
    add_bin({.index = bin_of(us), .count = 1, .sum = us}, budget);
  }
}

void Durations::add_bin(Bin added, Budget& budget) {
  auto at = std::ranges::lower_bound(bins_, added.index, {}, &Bin::index);
  if (at == bins_.end() || at->index != added.index) {
    if (bins_.empty() || budget.take(2 * sizeof(Bin))) {
      bins_.insert(at, added);
      return;
    }
    if (at == bins_.end()) --at;
  }
  if (at->count > std::numeric_limits<std::uint32_t>::max() - added.count) return;
  at->count += added.count;
  at->sum += added.sum;
}

double Durations::value_at(std::uint64_t i) const {
  if (!values_.empty()) {
    if (!sorted_) std::ranges::sort(values_);
    sorted_ = true;
    return values_[i];
  }
  for (const Bin& bin : bins_) {
    if (i < bin.count) return bin.sum / bin.count;
    i -= bin.count;
  }
  return bins_.empty() ? 0 : bins_.back().sum / bins_.back().count;
}

double Durations::quantile(double q) const {
  if (count_ == 0) return 0;
  const double at = q * static_cast<double>(count_ - 1);
  const auto below = static_cast<std::uint64_t>(at);
  const double low = value_at(below);
  const double high = value_at(std::min(below + 1, count_ - 1));
  return low + (at - static_cast<double>(below)) * (high - low);
}

WallTime wall_of(const Durations& runs) {
  WallTime wall{.runs = runs.count()};
  if (wall.runs == 0) return wall;
  const auto n = static_cast<double>(wall.runs);
  wall.mean_us = runs.sum() / n;
  wall.median_us = runs.quantile(0.5);
  wall.p90_us = runs.quantile(0.90);
  wall.p95_us = runs.quantile(0.95);
  wall.p99_us = runs.quantile(0.99);
  const double reach = kNormal95 * std::sqrt(n) / 2;
  const bool few = wall.runs < 6;  // as wall_time.h
  const double low = few ? 0 : std::max(0.0, std::floor(n / 2 - reach));
  const double high = few ? n - 1 : std::min(n - 1, std::ceil(n / 2 + reach));
  wall.median_interval = {runs.value_at(static_cast<std::uint64_t>(low)),
                          runs.value_at(static_cast<std::uint64_t>(high))};
  return wall;
}

}  // namespace quantlens::imports
