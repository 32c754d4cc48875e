// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/kinds.h"
#include "quantlens/accuracy/metric_bytes.h"
#include "quantlens/accuracy/options.h"
#include "quantlens/accuracy/outputs.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

/// Of one class.
struct Counts {
  std::uint64_t hits = 0;    ///< labels of the class that are answered so
  std::uint64_t missed = 0;  ///< other labels of the class
  std::uint64_t wrong = 0;   ///< other answers of the class

  std::uint64_t all() const { return hits + missed + wrong; }
  void add(const Counts& other) {
    hits += other.hits;
    missed += other.missed;
    wrong += other.wrong;
  }
  double f1() const {
    if (all() == 0) return 0;
    const auto twice = static_cast<double>(2 * hits);
    return twice / (twice + static_cast<double>(missed + wrong));
  }
};

struct F1Options {
  std::string output;
  bool macro = false;
  std::optional<std::int64_t> positive;
  std::optional<std::int64_t> ignored;
  std::optional<double> threshold;
  std::int64_t offset = 0;
};

/// How an output answers the labels of a sample.
struct Answering {
  const std::string& name;
  std::int64_t classes = 0;  ///< scores a label; 0: it is the answer itself, or is thresholded
};

/// F1 of one class, or the mean of all classes', over labels of one number a sample or of many (a
/// token's, a pixel's).
class F1 final : public Metric {
 public:
  explicit F1(F1Options options) : options_(std::move(options)) {}

  void add(const Batch& batch, const TensorMap& outputs) override {
    const auto& [name, output] = chosen_output(outputs, "f1", options_.output);
    const std::size_t samples = batch.samples.size();
    for (std::size_t i = 0; i < samples; ++i) {
      const Tensor part = part_of(name, output, i, samples);
      const std::vector<std::int64_t> labels =
          whole_numbers(batch, i, "numbers of classes: check the labels");
      const Answering answering{name,
                                classes_of(batch, i, part.size(), part_shape(output, samples))};
      check_binary(answering);
      const std::vector<std::optional<std::int64_t>> answers = answers_of(part, answering);
      for (std::size_t at = 0; at < labels.size(); ++at) {
        if (labels[at] == options_.ignored) continue;
        check_label(batch.samples[i], labels[at], answering);
        count(block_of(batch.samples[i]), labels[at], answers.at(at));
      }
      samples_.count(batch.samples[i]);
    }
  }

  MetricFigure figure() const override {
    return {.value = without(kNoBlock),
            .samples = samples_.samples(),
            .bounds = {0, 1},
            .right = {},
            .without = samples_.without_each([&](std::size_t block) { return without(block); })};
  }

  std::string state() const override {
    std::string out;
    append_varint(out, counts_.size());
    for (const auto& [number, blocks] : counts_) {
      append_i64(out, number);
      for (const Counts& counts : blocks) {
        append_varint(out, counts.hits);
        append_varint(out, counts.missed);
        append_varint(out, counts.wrong);
      }
    }
    return out;
  }

  void merge(std::string_view state, const SampleSet& samples) override {
    constexpr std::size_t kLeastBytes = std::size_t{3} * kBlocks;
    take_classes(state, kLeastBytes, [&](std::int64_t number) {
      for (std::uint32_t block = 0; block < kBlocks; ++block) {
        Counts* counts = of_class(number, block);
        if (counts == nullptr) refuse_bytes("a class is none that counts");
        const std::uint64_t hits = take_tally(state);
        const std::uint64_t missed = take_tally(state);
        counts->add({.hits = hits, .missed = missed, .wrong = take_tally(state)});
      }
    });
    refuse_rest(state);
    samples_.count(samples);
  }

 private:
  /// How many scores each label of sample `i` has; `size` numbers of shape `part` answer it.
  std::int64_t classes_of(const Batch& batch, std::size_t i, std::int64_t size,
                          const Shape& part) const {
    const Tensor& label = label_of(batch, i);
    const Shape shape = without_ones(label.shape());
    if (without_ones(part) == shape) return 0;
    if (shape.empty()) return size;
    if (!part.empty() && without_ones({part.begin(), part.end() - 1}) == shape) return part.back();
    throw wrong_label(
        batch, i,
        fmt::format("labels of the shape of the output, which is {} a sample, or of that shape "
                    "without the classes at its end",
                    to_string(part)));
  }

  /// Of several classes none is the positive one by itself.
  void check_binary(const Answering& answering) const {
    if (options_.macro) return;
    if (answering.classes > 2 && !options_.positive) {
      throw Error(Errc::usage,
                  fmt::format("--metric: output '{}' has {} classes; write f1:average=macro, or "
                              "f1:positive=CLASS for one of them",
                              printable(answering.name), answering.classes));
    }
    if (answering.classes > 0 && !is_class(positive(), answering)) {
      throw Error(
          Errc::usage,
          fmt::format("--metric: positive={} is not among the {} classes of output '{}' "
                      "with label_offset {}; give another",
                      positive(), answering.classes, printable(answering.name), options_.offset));
    }
  }

  bool is_class(std::int64_t label, const Answering& answering) const {
    return label >= -options_.offset && label < answering.classes - options_.offset;
  }

  void check_label(std::uint64_t sample, std::int64_t label, const Answering& answering) const {
    if (answering.classes == 0 || is_class(label, answering)) return;
    throw Error(Errc::bad_input,
                fmt::format("sample {}: its label {} is not among the {} classes of output '{}' "
                            "with label_offset {}; check the labels, or set f1:label_offset=K or "
                            "f1:ignore_label={}",
                            sample, label, answering.classes, printable(answering.name),
                            options_.offset, label));
  }

  /// In the numbering of the labels; nothing where scores are NaN.
  std::vector<std::optional<std::int64_t>> answers_of(const Tensor& part,
                                                      const Answering& answering) const {
    std::vector<std::optional<std::int64_t>> answers;
    if (answering.classes == 0 && !is_float(part.dtype())) {
      for (const std::int64_t answer : to_int64(part)) {
        answers.emplace_back(minus(answer, options_.offset));
      }
      return answers;
    }
    const std::vector<double> scores = as_doubles(part);
    if (answering.classes == 0) {
      for (const double score : scores) answers.push_back(thresholded(score, answering.name));
      return answers;
    }
    const auto classes = static_cast<std::size_t>(answering.classes);
    for (std::size_t at = 0; at + classes <= scores.size(); at += classes) {
      const std::optional<std::int64_t> best = best_of(std::span(scores).subspan(at, classes));
      answers.push_back(best ? std::optional(minus(*best, options_.offset)) : std::nullopt);
    }
    return answers;
  }

  std::optional<std::int64_t> thresholded(double score, const std::string& name) const {
    if (!options_.threshold) {
      throw Error(Errc::usage,
                  fmt::format("--metric: output '{}' has one score a label; say from where on it "
                              "stands for class 1, e.g. f1:threshold=0.5 of probabilities",
                              printable(name)));
    }
    if (std::isnan(score)) return std::nullopt;
    return score >= *options_.threshold ? 1 : 0;
  }

  std::int64_t positive() const { return options_.positive.value_or(1); }

  void count(std::size_t block, std::int64_t label, std::optional<std::int64_t> answer) {
    if (answer == label) {
      if (Counts* counts = of_class(label, block)) ++counts->hits;
      return;
    }
    if (Counts* counts = of_class(label, block)) ++counts->missed;
    if (!answer) return;
    if (Counts* counts = of_class(*answer, block)) ++counts->wrong;
  }

  /// Null for a class that does not matter.
  Counts* of_class(std::int64_t number, std::size_t block) {
    constexpr std::size_t kMostClasses = 100'000;  // some 80 MB
    if (!options_.macro && number != positive()) return nullptr;
    if (counts_.size() >= kMostClasses && !counts_.contains(number)) {
      throw Error(Errc::bad_input,
                  fmt::format("f1: labels and answers have more than {} classes; are they classes "
                              "at all? Name another output with f1:output=OUTPUT",
                              kMostClasses));
    }
    return &counts_[number][block];
  }

  double without(std::size_t left_out) const {
    double sum = 0;
    std::uint64_t classes = 0;
    for (const auto& [number, blocks] : counts_) {
      Counts all;
      for (std::size_t block = 0; block < kBlocks; ++block) {
        if (block != left_out) all.add(blocks[block]);
      }
      if (all.all() == 0) continue;  // neither a label nor an answer
      sum += all.f1();
      ++classes;
    }
    return classes == 0 ? 0 : sum / static_cast<double>(classes);
  }

  F1Options options_;
  std::map<std::int64_t, std::array<Counts, kBlocks>> counts_;
  SampleBlocks samples_;
};

}  // namespace

std::unique_ptr<Metric> make_f1(const MetricSpec& spec) {
  const F1Options options{.output = given_text(spec, "output").value_or(""),
                          .macro = given_text(spec, "average") == "macro",
                          .positive = given_whole(spec, "positive"),
                          .ignored = given_whole(spec, "ignore_label"),
                          .threshold = given_number(spec, "threshold"),
                          .offset = given_whole(spec, "label_offset").value_or(0)};
  if (options.macro && options.positive) {
    throw Error(Errc::usage,
                "--metric: f1:average=macro counts every class, so positive means nothing; leave "
                "one of them out");
  }
  if (options.threshold && options.offset != 0) {
    throw Error(Errc::usage,
                "--metric: f1:threshold makes classes 0 and 1, so label_offset means nothing; "
                "leave one of them out");
  }
  return std::make_unique<F1>(options);
}

}  // namespace quantlens
