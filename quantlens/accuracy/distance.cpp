// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/kinds.h"
#include "quantlens/accuracy/metric_bytes.h"
#include "quantlens/accuracy/options.h"
#include "quantlens/accuracy/outputs.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/stats/exact_sum.h"
#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

/// The target of sample `i`, whose shape is that of the output's part but for extents of 1.
std::vector<double> target_of(const Batch& batch, std::size_t i, const Shape& part) {
  const Tensor& label = label_of(batch, i);
  if (without_ones(label.shape()) != without_ones(part)) {
    throw wrong_label(batch, i,
                      fmt::format("a target of the output's shape, which is {}", to_string(part)));
  }
  std::vector<double> target = as_doubles(label);
  for (const double value : target) {
    if (!std::isfinite(value)) throw wrong_label(batch, i, "a target of finite numbers");
  }
  return target;
}

/// Distances summed without rounding, so that neither order nor a split of the samples matters.
class Block {
 public:
  /// REQUIRES: `sum` is not negative, or NaN.
  void add(double sum, std::uint64_t elements) {
    if (std::isfinite(sum)) {
      finite_.add(sum);
    } else {
      others_ += sum;
    }
    elements_ += elements;
  }
  void merge(const Block& other) {
    finite_.merge(other.finite_);
    others_ += other.others_;
    elements_ += other.elements_;
  }
  double sum() const { return finite_.value() + others_; }
  std::uint64_t elements() const { return elements_; }

  void append_to(std::string& out) const {
    finite_.append_to(out);
    append_u8(out, static_cast<std::uint8_t>(std::isnan(others_)   ? Others::nan
                                             : std::isinf(others_) ? Others::infinite
                                                                   : Others::none));
    append_varint(out, elements_);
  }
  static Block take_from(std::string_view& in) {
    Block block;
    block.finite_ = ExactSum::take_from(in);
    if (block.finite_.value() < 0) refuse_bytes("a sum of distances is negative");
    switch (static_cast<Others>(take_u8(in))) {
      case Others::none:
        break;
      case Others::infinite:
        block.others_ = std::numeric_limits<double>::infinity();
        break;
      case Others::nan:
        block.others_ = std::numeric_limits<double>::quiet_NaN();
        break;
      default:
        refuse_bytes("a sum is neither a number nor none");
    }
    block.elements_ = take_tally(in);
    return block;
  }

 private:
  enum class Others : std::uint8_t { none, infinite, nan };

  ExactSum finite_;
  double others_ = 0;  // the sum of those that are not finite: 0, infinite or NaN in any order
  std::uint64_t elements_ = 0;
};

/// mse, rmse and mae: of all elements of all samples together.
class Distance final : public Metric {
 public:
  Distance(std::string name, std::string output)
      : name_(std::move(name)), output_(std::move(output)) {}

  void add(const Batch& batch, const TensorMap& outputs) override {
    const auto& [name, output] = chosen_output(outputs, name_, output_);
    const std::size_t samples = batch.samples.size();
    const Shape shape = part_shape(output, samples);
    for (std::size_t i = 0; i < samples; ++i) {
      const std::vector<double> answer = as_doubles(part_of(name, output, i, samples));
      const std::vector<double> target = target_of(batch, i, shape);
      double sum = 0;
      for (std::size_t at = 0; at < answer.size(); ++at) sum += distance(answer[at], target[at]);
      blocks_[block_of(batch.samples[i])].add(sum, answer.size());
      samples_.count(batch.samples[i]);
    }
  }

  MetricFigure figure() const override {
    return {.value = without(kNoBlock),
            .samples = samples_.samples(),
            .bounds = {0, std::numeric_limits<double>::infinity()},
            .right = {},
            .without = samples_.without_each([&](std::size_t block) { return without(block); })};
  }

  std::string state() const override {
    std::string out;
    for (const Block& block : blocks_) block.append_to(out);
    return out;
  }

  void merge(std::string_view state, const SampleSet& samples) override {
    for (Block& block : blocks_) block.merge(Block::take_from(state));
    refuse_rest(state);
    samples_.count(samples);
  }

 private:
  double distance(double answer, double target) const {
    const double difference = answer - target;
    return name_ == "mae" ? std::abs(difference) : difference * difference;
  }

  double without(std::size_t left_out) const {
    Block all;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      if (block != left_out) all.merge(blocks_[block]);
    }
    if (all.elements() == 0) return 0;
    const double mean = all.sum() / static_cast<double>(all.elements());
    return name_ == "rmse" ? std::sqrt(mean) : mean;
  }

  std::string name_, output_;
  std::array<Block, kBlocks> blocks_;
  SampleBlocks samples_;
};

}  // namespace

std::unique_ptr<Metric> make_distance(const MetricSpec& spec) {
  return std::make_unique<Distance>(spec.name, given_text(spec, "output").value_or(""));
}

}  // namespace quantlens
