// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/kinds.h"
#include "quantlens/accuracy/options.h"
#include "quantlens/accuracy/outputs.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
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
      Block& block = blocks_[block_of(batch.samples[i])];
      block.sum += sum;
      block.elements += answer.size();
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

 private:
  struct Block {
    double sum = 0;
    std::uint64_t elements = 0;
  };

  double distance(double answer, double target) const {
    const double difference = answer - target;
    return name_ == "mae" ? std::abs(difference) : difference * difference;
  }

  double without(std::size_t left_out) const {
    Block all;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      if (block == left_out) continue;
      all.sum += blocks_[block].sum;
      all.elements += blocks_[block].elements;
    }
    if (all.elements == 0) return 0;
    const double mean = all.sum / static_cast<double>(all.elements);
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
