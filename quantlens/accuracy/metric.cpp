// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/metric.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/accuracy/outputs.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

struct Known {
  std::string_view name;
  std::uint64_t classes;  ///< a label among so many first answers is right; 0: it is no rate
};

constexpr Known kMetrics[] = {{"top1", 1}, {"top5", 5}, {"accuracy", 1}, {"spearman_cosine", 0}};
constexpr std::string_view kLabelOffset = "label_offset";
constexpr std::string_view kOptions[] = {"output", kLabelOffset};

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

void check_option(const Known& metric, const std::string& key, const std::string& value) {
  const std::vector<std::string> names(std::begin(kOptions), std::end(kOptions));
  if (std::ranges::find(names, key) == names.end()) {
    throw Error(Errc::usage, fmt::format("--metric: there is no option '{}'; {}", printable(key),
                                         suggestion(key, names)));
  }
  if (metric.classes == 0 && key == kLabelOffset) {
    throw Error(Errc::usage, fmt::format("--metric: {} has no classes, so {} means nothing; leave "
                                         "it out",
                                         metric.name, key));
  }
  if (value.empty()) {
    throw Error(Errc::usage,
                fmt::format("--metric: the option '{}' has no value; write {}=VALUE", key, key));
  }
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
  const Known& known = known_metric(spec.name);
  std::string_view rest(text);
  rest.remove_prefix(colon == std::string::npos ? text.size() : colon + 1);
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(option.size() + 1, rest.size()));
    const std::size_t equals = std::min(option.find('='), option.size());
    const std::string key(option.substr(0, equals));
    const std::string value(option.substr(std::min(equals + 1, option.size())));
    check_option(known, key, value);
    if (!spec.options.emplace(key, value).second) {
      throw Error(Errc::usage,
                  fmt::format("--metric: the option '{}' is given twice; give it once", key));
    }
  }
  label_offset(spec);
  return spec;
}

bool is_rate(const MetricSpec& spec) {
  return known_metric(spec.name).classes > 0;
}

std::string wanted_output(const MetricSpec& spec) {
  const auto output = spec.options.find("output");
  return output == spec.options.end() ? std::string() : output->second;
}

void check_output(const MetricSpec& spec, const std::vector<std::string>& outputs) {
  const std::string wanted = wanted_output(spec);
  if (wanted.empty()) return;
  if (std::ranges::find(outputs, wanted) == outputs.end()) throw no_output(wanted, outputs);
}

std::unique_ptr<Metric> make_metric(const MetricSpec& spec) {
  const Known& known = known_metric(spec.name);
  for (const auto& [key, value] : spec.options) check_option(known, key, value);
  return std::make_unique<Top>(spec.name, known.classes, wanted_output(spec), label_offset(spec));
}

}  // namespace quantlens
