// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/metric.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

struct Known {
  std::string_view name;
  std::uint64_t classes;  ///< a label among so many first answers is right
};

constexpr Known kMetrics[] = {{"top1", 1}, {"top5", 5}, {"accuracy", 1}};
constexpr std::string_view kOptions[] = {"output", "label_offset"};

template <class Range>
std::string list_text(const Range& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "did you mean 'top1'?", or all there is where nothing is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::string near = did_you_mean(word, names);
  return near.empty() ? "known: " + list_text(names) : near;
}

const Known& known_metric(const std::string& name) {
  std::vector<std::string> names;
  for (const Known& metric : kMetrics) {
    if (metric.name == name) return metric;
    names.emplace_back(metric.name);
  }
  throw Error(Errc::usage, fmt::format("--metric: there is no metric '{}'; {}", printable(name),
                                       suggestion(name, names)));
}

/// The offset of the labels; 0 where it is not given.
std::int64_t label_offset(const MetricSpec& spec) {
  const auto found = spec.options.find("label_offset");
  if (found == spec.options.end()) return 0;
  const std::string& text = found->second;
  std::int32_t offset = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(Errc::usage, fmt::format("--metric: label_offset is '{}'; give a whole number, "
                                         "e.g. {}:label_offset=1",
                                         printable(text), spec.name));
  }
  return offset;
}

void check_option(const std::string& key, const std::string& value) {
  const std::vector<std::string> names(std::begin(kOptions), std::end(kOptions));
  if (std::ranges::find(names, key) == names.end()) {
    throw Error(Errc::usage, fmt::format("--metric: there is no option '{}'; {}", printable(key),
                                         suggestion(key, names)));
  }
  if (value.empty()) {
    throw Error(Errc::usage,
                fmt::format("--metric: the option '{}' has no value; write {}=VALUE", key, key));
  }
}

Error no_output(const std::string& wanted, const std::vector<std::string>& names) {
  return {Errc::usage, fmt::format("--metric: the model has no output '{}'; {}", printable(wanted),
                                   suggestion(wanted, names))};
}

/// The output to score. The outputs of a model come without an order, so none is the first.
const std::pair<const std::string, Tensor>& chosen_output(const TensorMap& outputs,
                                                          const std::string& metric,
                                                          const std::string& wanted) {
  std::vector<std::string> names, floats;
  for (const auto& [name, tensor] : outputs) {
    names.push_back(name);
    if (is_float(tensor.dtype())) floats.push_back(name);
  }
  if (!wanted.empty()) {
    const auto found = outputs.find(wanted);
    if (found != outputs.end()) return *found;
    throw no_output(wanted, names);
  }
  if (names.size() == 1) return *outputs.begin();
  if (floats.size() == 1) return *outputs.find(floats.front());
  if (names.empty()) throw Error(Errc::bad_input, "the model has no output; give another model");
  const auto& candidates = floats.empty() ? names : floats;
  throw Error(Errc::usage,
              fmt::format("--metric: the model has the outputs {}; say which one to score, e.g. "
                          "{}:output={}",
                          printable(list_text(candidates)), metric, printable(candidates.front())));
}

/// What the output says of sample `i`, as one axis.
Tensor part_of(const std::string& name, const Tensor& output, std::size_t i, std::size_t batch) {
  const auto samples = static_cast<std::int64_t>(batch);
  const bool has_batch = !output.shape().empty() && output.shape().front() == samples;
  if (output.dtype() == DType::string || (!has_batch && batch != 1) || output.size() == 0) {
    throw Error(Errc::bad_input,
                fmt::format("output '{}': {} of shape {} for {} samples cannot be scored; a metric "
                            "needs numbers with the batch as first dimension: name another output "
                            "with --metric NAME:output=OUTPUT, or use batch_size 1",
                            printable(name), quantlens::name(output.dtype()),
                            to_string(output.shape()), batch));
  }
  const std::int64_t size = output.size() / samples;
  const std::size_t bytes = static_cast<std::size_t>(size) * byte_size(output.dtype());
  return {output.dtype(), {size}, output.bytes().subspan(i * bytes, bytes), output.owner()};
}

std::vector<double> as_doubles(const Tensor& tensor) {
  if (tensor.dtype() == DType::float64) {
    const Tensor values = aligned(tensor);
    const std::span<const double> data = values.data<double>();
    return {data.begin(), data.end()};
  }
  if (!is_float(tensor.dtype())) {
    const std::vector<std::int64_t> whole = to_int64(tensor);
    return {whole.begin(), whole.end()};
  }
  const Tensor values = to_float32(tensor);
  const std::span<const float> data = values.data<float>();
  return {data.begin(), data.end()};
}

/// The label as one whole number.
std::int64_t label_of(const Batch& batch, std::size_t i) {
  if (i >= batch.labels.size() || !batch.labels[i]) {
    throw Error(
        Errc::bad_input,
        fmt::format("sample {}: the data has no labels; give a labels file", batch.samples.at(i)));
  }
  const Tensor& label = *batch.labels[i];
  constexpr double kLargest = 9007199254740992.0;  // 2^53: whole numbers below are exact
  if (label.size() == 1 && label.dtype() != DType::string) {
    if (!is_float(label.dtype())) return to_int64(label).front();
    const double value = as_doubles(label).front();
    if (std::trunc(value) == value && std::abs(value) <= kLargest) {
      return static_cast<std::int64_t>(value);
    }
  }
  throw Error(Errc::bad_input,
              fmt::format("sample {}: its label is {} of shape {}; this metric needs the number of "
                          "one class: check the labels",
                          batch.samples.at(i), name(label.dtype()), to_string(label.shape())));
}

/// Wraps around where the sum leaves the range, so that hostile labels are harmless.
std::int64_t minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// Right where the label is among the first answers.
class Top final : public Metric {
 public:
  Top(std::string name, std::uint64_t answers, std::string output, std::int64_t offset)
      : name_(std::move(name)), answers_(answers), output_(std::move(output)), offset_(offset) {}

  SampleScore score(const Batch& batch, std::size_t i, const TensorMap& outputs) const override {
    const auto& [name, output] = chosen_output(outputs, name_, output_);
    const Tensor part = part_of(name, output, i, batch.samples.size());
    const std::int64_t label = label_of(batch, i);
    if (part.size() > 1) return score_classes(batch.samples[i], name, as_doubles(part), label);
    if (is_float(part.dtype()) || answers_ > 1) {
      throw Error(Errc::bad_input,
                  fmt::format("output '{}' has one value a sample; {} needs the scores of all "
                              "classes: name another output with {}:output=OUTPUT",
                              printable(name), name_, name_));
    }
    const std::int64_t answer = minus(to_int64(part).front(), offset_);
    return {answer == label ? 1.0 : 0.0, label, answer};
  }

 private:
  SampleScore score_classes(std::uint64_t sample, const std::string& name,
                            const std::vector<double>& scores, std::int64_t label) const {
    const auto classes = static_cast<std::int64_t>(scores.size());
    if (label < -offset_ || label >= classes - offset_) {
      throw Error(Errc::bad_input,
                  fmt::format("sample {}: its label {} is not among the {} classes of output '{}' "
                              "with label_offset {}; check the labels or set {}:label_offset=K",
                              sample, label, classes, printable(name), offset_, name_));
    }
    if (std::ranges::any_of(scores, [](double s) { return std::isnan(s); })) {
      return {0, label, kNoAnswer};
    }
    const auto target = static_cast<std::size_t>(label + offset_);
    std::uint64_t before = 0;  // classes that are better answers than the label's
    for (std::size_t c = 0; c < scores.size(); ++c) {
      if (scores[c] > scores[target] || (scores[c] == scores[target] && c < target)) ++before;
    }
    const auto best = std::ranges::max_element(scores) - scores.begin();
    return {before < answers_ ? 1.0 : 0.0, label, minus(best, offset_)};
  }

  std::string name_;
  std::uint64_t answers_;
  std::string output_;
  std::int64_t offset_;
};

}  // namespace

MetricSpec parse_metric(const std::string& text) {
  const std::size_t colon = text.find(':');
  MetricSpec spec{text.substr(0, colon), {}};
  known_metric(spec.name);
  std::string_view rest(text);
  rest.remove_prefix(colon == std::string::npos ? text.size() : colon + 1);
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(option.size() + 1, rest.size()));
    const std::size_t equals = std::min(option.find('='), option.size());
    const std::string key(option.substr(0, equals));
    const std::string value(option.substr(std::min(equals + 1, option.size())));
    check_option(key, value);
    if (!spec.options.emplace(key, value).second) {
      throw Error(Errc::usage,
                  fmt::format("--metric: the option '{}' is given twice; give it once", key));
    }
  }
  label_offset(spec);
  return spec;
}

void check_output(const MetricSpec& spec, const std::vector<std::string>& outputs) {
  const auto wanted = spec.options.find("output");
  if (wanted == spec.options.end()) return;
  if (std::ranges::find(outputs, wanted->second) == outputs.end()) {
    throw no_output(wanted->second, outputs);
  }
}

std::unique_ptr<Metric> make_metric(const MetricSpec& spec) {
  const Known& known = known_metric(spec.name);
  for (const auto& [key, value] : spec.options) check_option(key, value);
  const auto output = spec.options.find("output");
  return std::make_unique<Top>(spec.name, known.classes,
                               output == spec.options.end() ? std::string() : output->second,
                               label_offset(spec));
}

}  // namespace quantlens
