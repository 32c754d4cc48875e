// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/kinds.h"
#include "quantlens/accuracy/options.h"
#include "quantlens/accuracy/outputs.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

/// The label as one whole number.
std::int64_t class_of(const Batch& batch, std::size_t i) {
  constexpr std::string_view kWanted = "the number of one class: check the labels";
  if (label_of(batch, i).size() != 1) throw wrong_label(batch, i, kWanted);
  return whole_numbers(batch, i, kWanted).front();
}

/// The share of samples whose label is among the first answers.
class Top final : public Metric {
 public:
  Top(std::string name, std::uint64_t answers, std::string output, std::int64_t offset)
      : name_(std::move(name)), answers_(answers), output_(std::move(output)), offset_(offset) {}

  void add(const Batch& batch, const TensorMap& outputs) override {
    last_.clear();
    for (std::size_t i = 0; i < batch.samples.size(); ++i) {
      last_.push_back(score(batch, i, outputs));
      ++samples_;
      if (last_.back().right) ++right_;
    }
  }

  MetricFigure figure() const override {
    const double value =
        samples_ == 0 ? 0 : static_cast<double>(right_) / static_cast<double>(samples_);
    return {.value = value, .samples = samples_, .bounds = {0, 1}, .right = right_, .without = {}};
  }

  std::span<const SampleScore> last() const override { return last_; }

 private:
  SampleScore score(const Batch& batch, std::size_t i, const TensorMap& outputs) const {
    const auto& [name, output] = chosen_output(outputs, name_, output_);
    const Tensor part = part_of(name, output, i, batch.samples.size());
    const std::int64_t label = class_of(batch, i);
    if (part.size() > 1) return score_classes(batch.samples[i], name, as_doubles(part), label);
    if (is_float(part.dtype()) || answers_ > 1) {
      throw Error(Errc::bad_input,
                  fmt::format("output '{}' has one value a sample; {} needs the scores of all "
                              "classes: name another output with {}:output=OUTPUT",
                              printable(name), name_, name_));
    }
    const std::int64_t answer = minus(to_int64(part).front(), offset_);
    return {.right = answer == label, .label = label, .answer = answer};
  }

  SampleScore score_classes(std::uint64_t sample, const std::string& name,
                            const std::vector<double>& scores, std::int64_t label) const {
    const auto classes = static_cast<std::int64_t>(scores.size());
    if (label < -offset_ || label >= classes - offset_) {
      throw Error(Errc::bad_input,
                  fmt::format("sample {}: its label {} is not among the {} classes of output '{}' "
                              "with label_offset {}; check the labels or set {}:label_offset=K",
                              sample, label, classes, printable(name), offset_, name_));
    }
    const std::optional<std::int64_t> best = best_of(scores);
    if (!best) return {.right = false, .label = label, .answer = kNoAnswer};
    const auto target = static_cast<std::size_t>(label + offset_);
    std::uint64_t before = 0;  // classes that are better answers than the label's
    for (std::size_t c = 0; c < scores.size(); ++c) {
      if (scores[c] > scores[target] || (scores[c] == scores[target] && c < target)) ++before;
    }
    return {.right = before < answers_, .label = label, .answer = minus(*best, offset_)};
  }

  std::string name_;
  std::uint64_t answers_;
  std::string output_;
  std::int64_t offset_;
  std::uint64_t samples_ = 0, right_ = 0;
  std::vector<SampleScore> last_;
};

}  // namespace

std::unique_ptr<Metric> make_top(const MetricSpec& spec) {
  constexpr std::uint64_t kAnswersOfTop5 = 5;
  return std::make_unique<Top>(spec.name, spec.name == "top5" ? kAnswersOfTop5 : 1,
                               given_text(spec, "output").value_or(""),
                               given_whole(spec, "label_offset").value_or(0));
}

}  // namespace quantlens
