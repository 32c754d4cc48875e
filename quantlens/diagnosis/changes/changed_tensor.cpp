// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/changed_tensor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/changes/tensor_factors.h"
#include "quantlens/diagnosis/view/channel_order.h"
#include "quantlens/diagnosis/view/nonfinite_elements.h"
#include "quantlens/stats/channel_walk.h"

namespace quantlens {
namespace {

constexpr double kMaterial = 0.001;  // of the energy
constexpr double kOfChannel = 0.1;   // of an output channel's
constexpr double kMostly = 0.9;      // of what is not explained

/// What codes can make of a value, and what they cannot.
class Rounding {
 public:
  explicit Rounding(const TensorSides& sides) : dtype_(sides.scheme.dtype) {
    if (sides.params.size() > 1 && sides.scheme.axis) {
      layout_ = axis_layout(sides.before.shape(), *sides.scheme.axis);
    }
    layout_.channels = std::max(sides.params.size(), std::size_t{1});  // and around
    const CodeRange codes = code_limits(dtype_);
    for (const QParams& params : sides.params) {
      constexpr double kSingle = 1e-4;
      const double step = params.scale;
      reaches_.push_back({.step = step,
                          .slack = (code_count(codes) > 16 ? 1 : 3) * step * (1 + kSingle),
                          .low = static_cast<double>(codes.min - params.zero_point) * step,
                          .high = static_cast<double>(codes.max - params.zero_point) * step});
    }
  }

  bool in_codes() const { return !reaches_.empty(); }
  std::int64_t code_count() const { return in_codes() ? code_count(code_limits(dtype_)) : 0; }
  double step(std::size_t at) const {
    return in_codes() ? reaches_[at / layout_.inner % reaches_.size()].step : 0.0;
  }

  /// What codes can make of one element after the other, in their order.
  class Walk {
   public:
    explicit Walk(const Rounding& rounding) : rounding_(rounding), channels_(rounding.layout_) {}
    /// Whether it can make y of the next x.
    bool next_explains(double x, double y) {
      constexpr double kHalfPrecision = 1.0 / 128;  // a bfloat16 keeps 8 bits
      if (!rounding_.in_codes()) return std::abs(x - y) <= kHalfPrecision * std::abs(x);
      const auto& [step, slack, low, high] = rounding_.reaches_[channels_.next()];
      if (std::abs(x - y) <= slack) return true;
      return (x > high && y >= high - slack) || (x < low && y <= low + slack);
    }

   private:
    const Rounding& rounding_;
    ChannelWalk channels_;
  };

 private:
  /// The values of one channel's codes.
  struct Reach {
    double step, slack, low, high;
  };

  static std::int64_t code_count(const CodeRange& codes) { return codes.max - codes.min + 1; }

  DType dtype_;
  AxisLayout layout_;
  std::vector<Reach> reaches_;
};

Figure count_of(std::int64_t number) {
  return figure::count(static_cast<std::uint64_t>(number));
}

double energy(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return sum;
}

class Comparison {
 public:
  explicit Comparison(const TensorSides& sides)
      : sides_(sides),
        x_(sides.before.data<float>()),
        y_(sides.after.data<float>()),
        rounding_(sides),
        energy_(std::max(energy(x_), energy(y_))) {}

  std::optional<ChangedTensor> run() {
    const Fit as_it_is = fit(x_);
    if (as_it_is.is_good) return {};
    unexplained_ = as_it_is.unexplained;
    for (const auto look : {&Comparison::zeroed_whole, &Comparison::fewer_bits, &Comparison::zeroed,
                            &Comparison::wrapped, &Comparison::flipped, &Comparison::by_output,
                            &Comparison::reordered, &Comparison::by_input, &Comparison::by_both}) {
      if (auto found = (this->*look)()) return found;
    }
    return beyond_recognition();
  }

 private:
  /// Squared differences that rounding does not explain: their sum, and whether that is little of
  /// the tensor, and not most of any output channel.
  struct Fit {
    double unexplained = 0;
    bool is_good = true;
  };
  Fit fit(std::span<const float> x) const {
    Fit result;
    AxisLayout layout;
    if (sides_.output_axis) layout = axis_layout(sides_.before.shape(), *sides_.output_axis);
    std::vector<double> energies(layout.channels, 0), errors(layout.channels, 0);
    ChannelWalk channels(layout);
    Rounding::Walk rounding(rounding_);
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const std::size_t channel = channels.next();
      energies[channel] +=
          std::max(static_cast<double>(x[i]) * x[i], static_cast<double>(y_[i]) * y_[i]);
      if (rounding.next_explains(x[i], y_[i])) continue;
      const double error = static_cast<double>(x[i]) - y_[i];
      result.unexplained += error * error;
      errors[channel] += error * error;
    }
    result.is_good = result.unexplained <= kMaterial * energy_;
    for (std::size_t c = 0; c < layout.channels && sides_.output_axis; ++c) {
      if (errors[c] > kOfChannel * energies[c]) result.is_good = false;
    }
    return result;
  }
  bool fits(std::span<const float> x) const { return fit(x).is_good; }

  /// Share of what is not explained that lies where `holds` does, and how many such elements.
  std::pair<double, std::size_t> share(const std::function<bool(std::size_t)>& holds) const {
    double sum = 0;
    std::size_t count = 0;
    Rounding::Walk rounding(rounding_);
    for (std::size_t i = 0; i < y_.size(); ++i) {
      if (rounding.next_explains(x_[i], y_[i]) || !holds(i)) continue;
      const double error = static_cast<double>(x_[i]) - y_[i];
      sum += error * error;
      ++count;
    }
    return {sum / unexplained_, count};
  }

  std::optional<ChangedTensor> zeroed_whole() {
    if (energy(y_) > 0) return {};
    return ChangedTensor{Difference::zeroed,
                         {"constant.zero", {{"elements", figure::count(y_.size())}}}};
  }

  std::optional<ChangedTensor> zeroed() {
    const auto [part, count] = share([&](std::size_t i) { return y_[i] == 0; });
    if (part < kMostly) return {};
    return ChangedTensor{
        Difference::zeroed,
        {"constant.zeros",
         {{"zeros", figure::count(count)}, {"elements", figure::count(y_.size())}}}};
  }

  std::optional<ChangedTensor> wrapped() {
    if (!rounding_.in_codes()) return {};
    const auto codes = static_cast<double>(rounding_.code_count());
    const auto [part, count] = share([&](std::size_t i) {
      const double turns = (static_cast<double>(x_[i]) - y_[i]) / rounding_.step(i) / codes;
      return std::abs(turns) > 0.5 && std::abs(turns - std::round(turns)) * codes <= 2;
    });
    if (part < kMostly) return {};
    return ChangedTensor{Difference::wrapped_around,
                         {"constant.wrapped",
                          {{"codes", count_of(rounding_.code_count())},
                           {"off", figure::count(count)},
                           {"elements", figure::count(y_.size())}}}};
  }

  /// Few codes with wide gaps between them, to which values were rounded.
  std::optional<ChangedTensor> fewer_bits() {
    constexpr std::size_t kFewCodes = 32;
    if (!rounding_.in_codes() || rounding_.code_count() <= 64 || y_.size() < 4 * kFewCodes)
      return {};
    std::set<std::int64_t> used;
    for (std::size_t i = 0; i < y_.size() && used.size() <= kFewCodes; ++i)
      used.insert(std::llround(y_[i] / rounding_.step(i)));
    if (used.size() > kFewCodes || used.size() < 2) return {};
    std::int64_t gap = 0;
    for (auto at = std::next(used.begin()); at != used.end(); ++at)
      gap = std::max(gap, *at - *std::prev(at));
    const auto [part, count] = share([&](std::size_t i) {
      const double off = std::abs(static_cast<double>(x_[i]) - y_[i]) / rounding_.step(i);
      return off <= static_cast<double>(gap) / 2 + 2;
    });
    if (part < kMostly) return {};
    const auto bits = static_cast<int>(std::ceil(std::log2(used.size())));
    return ChangedTensor{Difference::fewer_bits,
                         {"constant.few_codes",
                          {{"used", figure::count(used.size())},
                           {"codes", count_of(rounding_.code_count())},
                           {"bits", count_of(bits)},
                           {"gap", count_of(gap)}}}};
  }

  std::optional<ChangedTensor> flipped() {
    for (const KernelTurn& turn : kernel_turns(sides_.before)) {
      const auto x = turn.values.data<float>();
      if (!fits(x) && !(cosine(x, y_) >= kAlike && cosine(x_, y_) < kAlike)) continue;
      Statement how{"constant.turned",
                    {{"of", figure::text(turn.is_matrix ? "matrix" : "kernels")},
                     {"turn", figure::text(turn.how)}}};
      if (turn.axis) how.figures["axis"] = figure::count(*turn.axis);
      return ChangedTensor{Difference::flipped, std::move(how)};
    }
    return {};
  }

  std::optional<ChangedTensor> by_output() {
    if (y_.size() == 1) return by_number();
    const Factors factors = factors_along(sides_.before, sides_.after, sides_.output_axis);
    if (factors.is_trivial() || !fits(scaled(sides_.before, factors).data<float>())) return {};
    return ChangedTensor{factors.is_turned() ? Difference::negated : Difference::output_factors,
                         factors.told("output channels")};
  }

  std::optional<ChangedTensor> by_number() {
    return ChangedTensor{
        Difference::other,
        {"constant.number", {{"is", figure::number(y_[0])}, {"was", figure::number(x_[0])}}}};
  }

  std::optional<ChangedTensor> reordered() {
    if (const auto order = other_order(sides_.before, sides_.after, sides_.output_axis))
      return ChangedTensor{Difference::swapped, *order};
    return {};
  }

  std::optional<ChangedTensor> by_input() {
    const auto axis = input_axis();
    if (!axis) return {};
    const Factors factors = factors_along(sides_.before, sides_.after, axis);
    if (factors.is_trivial() || !fits(scaled(sides_.before, factors).data<float>())) return {};
    return ChangedTensor{factors.is_turned() ? Difference::negated : Difference::input_factors,
                         factors.told("input channels")};
  }

  std::optional<ChangedTensor> by_both() {
    const auto axis = input_axis();
    if (!axis) return {};
    Tensor x = sides_.before;
    for (int round = 0; round < 3; ++round) {
      x = scaled(x, factors_along(x, sides_.after, sides_.output_axis));
      x = scaled(x, factors_along(x, sides_.after, axis));
    }
    if (!fits(x.data<float>())) return {};
    return ChangedTensor{Difference::both_factors, {"constant.both_factors", {}}};
  }

  std::optional<ChangedTensor> beyond_recognition() const {
    const double alike = cosine(x_, y_);
    const double sqnr_db = 10 * std::log10(energy(x_) / error_energy());
    return ChangedTensor{
        alike >= kAlike ? Difference::similar : Difference::other,
        {"constant.other_numbers",
         {{"sqnr", figure::decibels(sqnr_db)}, {"cosine", figure::number(alike)}}}};
  }

  double error_energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double error = static_cast<double>(x_[i]) - y_[i];
      sum += error * error;
    }
    return sum;
  }

  /// Of a weight with two kinds of channels.
  std::optional<int> input_axis() const {
    const Shape& shape = sides_.before.shape();
    if (!sides_.output_axis || shape.size() < 2) return {};
    const int axis = *sides_.output_axis == 0 ? 1 : static_cast<int>(shape.size()) - 2;
    return shape[static_cast<std::size_t>(axis)] > 1 ? std::optional(axis) : std::nullopt;
  }

  static constexpr double kAlike = 0.9;

  const TensorSides& sides_;
  std::span<const float> x_, y_;
  Rounding rounding_;
  double energy_;
  double unexplained_ = 0;
};

/// Whether writing x in half precision makes y of it.
bool overflows(float x, float y) {
  constexpr float kGreatestHalf = 65504;
  return std::isinf(y) && std::abs(x) > kGreatestHalf && std::signbit(x) == std::signbit(y);
}

/// What was finite and is no more.
std::optional<ChangedTensor> lost_numbers(const TensorSides& sides) {
  const auto x = sides.before.data<float>(), y = sides.after.data<float>();
  std::size_t lost = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    lost += std::isfinite(x[i]) && !std::isfinite(y[i]) && !overflows(x[i], y[i]) ? 1 : 0;
  if (lost == 0) return {};
  return ChangedTensor{
      Difference::nonfinite,
      {"constant.nonfinite",
       {{"nonfinite", figure::count(lost)}, {"elements", figure::count(y.size())}}}};
}

/// Both sides with 0 for each element that is not finite in both: it counts for nothing.
std::array<Tensor, 2> finite_sides(const TensorSides& sides) {
  const auto x = sides.before.data<float>(), y = sides.after.data<float>();
  std::vector<float> before(x.begin(), x.end()), after(y.begin(), y.end());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) before[i] = after[i] = 0;
  }
  const Shape& shape = sides.before.shape();
  return {Tensor::from<float>(shape, std::move(before)),
          Tensor::from<float>(shape, std::move(after))};
}

std::optional<ChangedTensor> changed_finite_part(const TensorSides& sides) {
  if (auto lost = lost_numbers(sides)) return lost;
  const auto [before, after] = finite_sides(sides);
  return Comparison({.before = before,
                     .after = after,
                     .output_axis = sides.output_axis,
                     .scheme = sides.scheme,
                     .params = sides.params})
      .run();
}

}  // namespace

std::optional<ChangedTensor> changed_tensor(const TensorSides& sides) {
  if (sides.before.size() == 0 || sides.before.shape() != sides.after.shape()) return {};
  for (const QParams& params : sides.params) {
    if (!(params.scale > 0)) return {};
  }
  const bool is_finite = count_nonfinite(sides.before) + count_nonfinite(sides.after) == 0;
  return is_finite ? Comparison(sides).run() : changed_finite_part(sides);
}

}  // namespace quantlens
