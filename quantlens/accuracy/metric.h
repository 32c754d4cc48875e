// accuracy: how good a model's answers are, with the interval that a number of samples allows.
// Start here, then evaluate.h. A new metric is a file with a `make_...` (kinds.h) and a row in
// metric.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/dataset/reader.h"
#include "quantlens/stats/samples.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

class Metric;

/// A `--metric` text taken apart: "top1:output=probabilities,label_offset=1". docs/metrics.md has
/// all metrics and what their options mean. Or a metric of the caller's own.
struct MetricSpec {
  std::string name;
  std::map<std::string, std::string> options;  ///< of a metric of the caller's own kHigherIsBetter
  std::string program;                         ///< of `command`: what is run, as it was written
  /// Of a metric of the caller's own, of any name: an object for each model that is scored. Empty:
  /// `name` is one of metric_names().
  std::function<std::unique_ptr<Metric>()> make = {};
};

/// The option of all metrics that says "true" or "false"; absent: as the metric is, and of one of
/// the caller's own "true".
inline constexpr const char* kHigherIsBetter = "higher_is_better";

/// Throws Errc::usage, naming the nearest, for unknown names and options, and for bad values.
MetricSpec parse_metric(const std::string& text);

/// The text that parse_metric takes apart so.
std::string metric_text(const MetricSpec& spec);

/// "top1, top5, ..., command:PROGRAM", for help.
std::string metric_names();

/// Whether the more the better: as the option `higher_is_better` says, else as the metric is.
bool is_higher_better(const MetricSpec& spec);

/// Whether it scores a model's answers to samples; else it is a program that is given the model.
bool needs_data(const MetricSpec& spec);

/// Whether a stored run keeps what was gathered for it (Metric::state): of a metric of the caller's
/// own nobody could read it back.
bool keeps_state(const MetricSpec& spec);

/// What is known of a model's output before it is run.
struct OutputOutline {
  std::string name;
  bool is_float = true;
};

/// Throws Errc::usage where the spec names an output that is none of these, or must name one.
void check_output(const MetricSpec& spec, const std::vector<OutputOutline>& outputs);

/// The answer of a sample whose scores are not numbers.
inline constexpr std::int64_t kNoAnswer = -1;

/// What one sample scored in a rate.
struct SampleScore {
  bool right = false;
  std::int64_t label = 0;
  std::int64_t answer = 0;  ///< the model's first answer, in the label's numbering; or kNoAnswer
};

/// A figure of a model over samples, and what its intervals are made of.
struct MetricFigure {
  double value = 0;
  std::uint64_t samples = 0;
  std::array<double, 2> bounds{};      ///< of any value
  std::optional<std::uint64_t> right;  ///< of a rate: samples that are right; of others:
  std::vector<double> without;  ///< the value without each group of samples: the same groups for
                                ///< all models over the same samples
};

/// Gathers the figure of one model's answers.
class Metric {
 public:
  virtual ~Metric() = default;
  /// Samples in ascending order. Throws Errc::bad_input where an output or a label does not fit,
  /// Errc::usage where an output must be named or is not there.
  virtual void add(const Batch& batch, const TensorMap& outputs) = 0;
  virtual MetricFigure figure() const = 0;
  /// Of a rate: what the samples that were added last scored.
  virtual std::span<const SampleScore> last() const { return {}; }

  /// What was gathered, as bytes for `merge`. They do not name the samples: who keeps them does.
  /// A metric of the caller's own needs neither.
  virtual std::string state() const { return {}; }
  /// Adds the state of a metric of the same spec over `samples`, which are consecutive but for
  /// those that could not be read. However samples were split, and in whatever order their parts
  /// are merged, the figure is to the last bit that of one metric that was given all of them.
  /// Throws Errc::bad_input for bytes that `state` cannot have given of these samples; the metric
  /// is of no further use then. REQUIRES: none of `samples` was added before.
  virtual void merge(std::string_view state, const SampleSet& samples);
};

/// Throws as parse_metric does, and Errc::usage where a caller's own makes none.
/// REQUIRES: needs_data(spec).
std::unique_ptr<Metric> make_metric(const MetricSpec& spec);

}  // namespace quantlens
