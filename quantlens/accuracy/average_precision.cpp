// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/accuracy/kinds.h"
#include "quantlens/accuracy/match_boxes.h"
#include "quantlens/accuracy/options.h"
#include "quantlens/accuracy/outputs.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

constexpr std::string_view kRows = "rows x1, y1, x2, y2, class and perhaps crowd (docs/metrics.md)";
constexpr std::size_t kBoxNumbers = 4;
constexpr std::size_t kDetectionNumbers = 6;  // box, score, class

enum class BoxFormat { xyxy, yxyx, xywh };

BoxFormat box_format(const std::optional<std::string>& word, BoxFormat otherwise) {
  if (!word) return otherwise;
  if (*word == "yxyx") return BoxFormat::yxyx;
  return *word == "xywh" ? BoxFormat::xywh : BoxFormat::xyxy;
}

/// REQUIRES: four numbers.
Box box_of(std::span<const double> n, BoxFormat format) {
  switch (format) {
    case BoxFormat::yxyx:
      return {.x1 = n[1], .y1 = n[0], .x2 = n[3], .y2 = n[2]};
    case BoxFormat::xywh:
      return {.x1 = n[0], .y1 = n[1], .x2 = n[0] + n[2], .y2 = n[1] + n[3]};
    default:
      return {.x1 = n[0], .y1 = n[1], .x2 = n[2], .y2 = n[3]};
  }
}

bool is_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double n) { return std::isfinite(n); });
}

/// A class as outputs and labels have it; nothing where the number is none.
std::optional<std::int64_t> class_number(double value) {
  constexpr double kMost = 1e9;
  if (!(std::abs(value) <= kMost) || std::trunc(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

struct MapOptions {
  std::optional<std::string> boxes, scores, classes, detections;
  BoxFormat format = BoxFormat::xyxy;
  BoxFormat label_format = BoxFormat::xyxy;
  std::vector<double> thresholds;
  std::int64_t offset = 0;
};

/// The objects and the detections of one class in one image.
struct OfClass {
  std::vector<TruthBox> truth;
  std::vector<DetectedBox> detected;
};
using ByClass = std::map<std::int64_t, OfClass>;

/// What the outputs say of one sample: as many scores and classes as boxes.
struct Said {
  std::vector<double> boxes, scores, classes;
};

/// Mean average precision as COCO has it. Of each detection 16 bytes are kept.
class AveragePrecision final : public Metric {
 public:
  explicit AveragePrecision(MapOptions options) : options_(std::move(options)) {}

  void add(const Batch& batch, const TensorMap& outputs) override {
    for (std::size_t i = 0; i < batch.samples.size(); ++i) {
      ByClass image;
      add_truth(batch, i, image);
      add_detections(said_of(batch, i, outputs), image);
      for (auto& [number, boxes] : image) judge(number, boxes, block_of(batch.samples[i]));
      samples_.count(batch.samples[i]);
    }
  }

  MetricFigure figure() const override {
    std::map<std::int64_t, Class> sorted = classes_;
    for (auto& [number, one] : sorted) {
      std::ranges::stable_sort(one.found, std::ranges::greater(), &Found::score);
    }
    const auto without = [&](std::size_t block) { return mean_without(sorted, block); };
    return {.value = without(kNoBlock),
            .samples = samples_.samples(),
            .bounds = {0, 1},
            .right = {},
            .without = samples_.without_each(without)};
  }

 private:
  struct Found {
    double score = 0;
    std::uint16_t hit = 0, ignored = 0;  ///< as Verdict's
    std::uint8_t block = 0;
  };
  struct Class {
    std::vector<Found> found;
    std::array<std::uint64_t, kBlocks> objects{};  ///< crowds do not count
  };

  void add_truth(const Batch& batch, std::size_t i, ByClass& image) const {
    const Tensor& label = label_of(batch, i);
    const Shape& shape = label.shape();
    constexpr std::int64_t kWithCrowd = 6;
    constexpr std::int64_t kPlain = 5;
    if (shape.empty() || (shape.back() != kPlain && shape.back() != kWithCrowd)) {
      throw wrong_label(batch, i, kRows);
    }
    const auto width = static_cast<std::size_t>(shape.back());
    const std::vector<double> numbers = as_doubles(label);
    for (std::size_t at = 0; at + width <= numbers.size(); at += width) {
      const std::span row = std::span(numbers).subspan(at, width);
      const std::optional<std::int64_t> number = class_number(row[kBoxNumbers]);
      if (!number) throw wrong_label(batch, i, fmt::format("{}, the class a whole number", kRows));
      if (*number < 0) continue;  // fills the array up
      if (!is_finite(row)) throw wrong_label(batch, i, fmt::format("{}, all finite", kRows));
      image[*number].truth.push_back({.box = box_of(row, options_.label_format),
                                      .crowd = width == kWithCrowd && row[kPlain] != 0});
    }
  }

  void add_detections(const Said& said, ByClass& image) const {
    for (std::size_t at = 0; at < said.scores.size(); ++at) {
      const std::span box = std::span(said.boxes).subspan(at * kBoxNumbers, kBoxNumbers);
      if (!is_finite(box) || !std::isfinite(said.scores[at])) continue;
      if (std::isnan(said.classes[at])) continue;
      const std::optional<std::int64_t> number = class_number(said.classes[at]);
      if (!number) {
        throw Error(Errc::bad_input,
                    fmt::format("map: a detection has the class {}, which is no whole number; name "
                                "the output of classes with map:classes=OUTPUT",
                                said.classes[at]));
      }
      if (*number < 0) continue;  // fills the array up
      image[*number - options_.offset].detected.push_back(
          {.box = box_of(box, options_.format), .score = said.scores[at]});
    }
  }

  void judge(std::int64_t number, OfClass& boxes, std::size_t block) {
    constexpr std::size_t kMostClasses = 100'000;
    if (classes_.size() >= kMostClasses && !classes_.contains(number)) {
      throw Error(Errc::bad_input,
                  fmt::format("map: detections have more than {} classes; name the output of "
                              "classes with map:classes=OUTPUT",
                              kMostClasses));
    }
    Class& all = classes_[number];
    all.objects[block] +=
        static_cast<std::uint64_t>(std::ranges::count(boxes.truth, false, &TruthBox::crowd));
    for (const Verdict& verdict :
         match_boxes(std::move(boxes.detected), std::move(boxes.truth), options_.thresholds)) {
      all.found.push_back({.score = verdict.score,
                           .hit = verdict.hit,
                           .ignored = verdict.ignored,
                           .block = static_cast<std::uint8_t>(block)});
    }
  }

  /// Over all classes of which there are objects, and all thresholds.
  double mean_without(const std::map<std::int64_t, Class>& classes, std::size_t left_out) const {
    double sum = 0;
    std::uint64_t terms = 0;
    for (const auto& [number, one] : classes) {
      std::uint64_t objects = 0;
      for (std::size_t block = 0; block < kBlocks; ++block) {
        if (block != left_out) objects += one.objects[block];
      }
      if (objects == 0) continue;
      for (std::size_t at = 0; at < options_.thresholds.size(); ++at, ++terms) {
        std::vector<bool> hits;
        for (const Found& found : one.found) {
          if (found.block == left_out || (found.ignored >> at & 1U) != 0) continue;
          hits.push_back((found.hit >> at & 1U) != 0);
        }
        sum += interpolated_precision(hits, objects);
      }
    }
    return terms == 0 ? 0 : sum / static_cast<double>(terms);
  }

  /// What one output says of sample `i`; may be nothing.
  static std::vector<double> numbers_of(const TensorMap& outputs, const std::string& name,
                                        std::size_t i, std::size_t samples) {
    const Tensor& output = outputs.at(name);
    if (output.size() == 0 && output.dtype() != DType::string) return {};
    return as_doubles(part_of(name, output, i, samples));
  }

  Said said_of(const Batch& batch, std::size_t i, const TensorMap& outputs) const {
    const std::size_t samples = batch.samples.size();
    if (const std::optional<std::string> rows = row_output(outputs)) {
      check_width(*rows, outputs.at(*rows), kDetectionNumbers);
      return taken_apart(numbers_of(outputs, *rows, i, samples));
    }
    const std::string boxes = role(outputs, options_.boxes, "boxes", {"boxes"});
    const std::string scores = role(outputs, options_.scores, "scores", {"scores"});
    const std::string classes = role(outputs, options_.classes, "classes", {"classes", "labels"});
    check_width(boxes, outputs.at(boxes), kBoxNumbers);
    Said said{.boxes = numbers_of(outputs, boxes, i, samples),
              .scores = numbers_of(outputs, scores, i, samples),
              .classes = numbers_of(outputs, classes, i, samples)};
    if (said.boxes.size() != kBoxNumbers * said.scores.size() ||
        said.scores.size() != said.classes.size()) {
      throw Error(
          Errc::bad_input,
          fmt::format("map: outputs '{}' of shape {}, '{}' of shape {} and '{}' of shape {} "
                      "are not four, one and one number a detection; name others with "
                      "map:boxes=OUTPUT,scores=OUTPUT,classes=OUTPUT",
                      printable(boxes), to_string(outputs.at(boxes).shape()), printable(scores),
                      to_string(outputs.at(scores).shape()), printable(classes),
                      to_string(outputs.at(classes).shape())));
    }
    return said;
  }

  /// The output that holds whole rows: the one that is named so, or the only one.
  std::optional<std::string> row_output(const TensorMap& outputs) const {
    if (options_.detections) {
      return role(outputs, options_.detections, "detections", {});
    }
    if (options_.boxes || options_.scores || options_.classes) return std::nullopt;
    if (outputs.size() == 1) return outputs.begin()->first;
    return std::nullopt;
  }

  /// The output of a role: as the option says, else of a usual name.
  static std::string role(const TensorMap& outputs, const std::optional<std::string>& given,
                          std::string_view option, const std::vector<std::string>& usual) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : outputs) names.push_back(name);
    if (given) {
      if (!outputs.contains(*given)) throw no_output(*given, names);
      return *given;
    }
    for (const std::string& name : usual) {
      if (outputs.contains(name)) return name;
    }
    throw Error(Errc::usage,
                fmt::format("--metric: the model has the outputs {}; say which one holds the {} "
                            "with map:{}=OUTPUT, or, if one holds all, with map:detections=OUTPUT",
                            printable(fmt::format("{}", fmt::join(names, ", "))), option, option));
  }

  static void check_width(const std::string& name, const Tensor& output, std::size_t width) {
    const Shape& shape = output.shape();
    if (!shape.empty() && shape.back() == static_cast<std::int64_t>(width)) return;
    throw Error(Errc::bad_input,
                fmt::format("map: output '{}' has the shape {}; it must end in {} numbers a "
                            "detection ({}): name another one",
                            printable(name), to_string(shape), width,
                            width == kBoxNumbers ? "a box" : "a box, its score, its class"));
  }

  static Said taken_apart(const std::vector<double>& rows) {
    Said said;
    for (std::size_t at = 0; at + kDetectionNumbers <= rows.size(); at += kDetectionNumbers) {
      for (std::size_t n = 0; n < kBoxNumbers; ++n) said.boxes.push_back(rows[at + n]);
      said.scores.push_back(rows[at + kBoxNumbers]);
      said.classes.push_back(rows[at + kBoxNumbers + 1]);
    }
    return said;
  }

  MapOptions options_;
  std::map<std::int64_t, Class> classes_;
  SampleBlocks samples_;
};

/// One, or COCO's ten from 0.5 to 0.95.
std::vector<double> thresholds_of(std::optional<double> given) {
  if (given) return {*given};
  constexpr double kFirst = 0.5;
  constexpr double kLast = 0.95;
  std::vector<double> thresholds;
  for (std::size_t i = 0; i < kMostOverlaps; ++i) {
    thresholds.push_back(kFirst +
                         static_cast<double>(i) * ((kLast - kFirst) / (kMostOverlaps - 1)));
  }
  return thresholds;
}

}  // namespace

std::unique_ptr<Metric> make_average_precision(const MetricSpec& spec) {
  MapOptions options{.boxes = given_text(spec, "boxes"),
                     .scores = given_text(spec, "scores"),
                     .classes = given_text(spec, "classes"),
                     .detections = given_text(spec, "detections"),
                     .format = box_format(given_text(spec, "format"), BoxFormat::xyxy),
                     .label_format = BoxFormat::xyxy,
                     .thresholds = thresholds_of(given_number(spec, "iou")),
                     .offset = given_whole(spec, "label_offset").value_or(0)};
  options.label_format = box_format(given_text(spec, "label_format"), options.format);
  if (options.detections && (options.boxes || options.scores || options.classes)) {
    throw Error(Errc::usage,
                "--metric: map:detections names the output that holds boxes, scores and classes; "
                "leave boxes, scores and classes out");
  }
  return std::make_unique<AveragePrecision>(std::move(options));
}

}  // namespace quantlens
