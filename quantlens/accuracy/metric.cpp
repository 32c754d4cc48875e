// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/metric.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/accuracy/kinds.h"
#include "quantlens/accuracy/options.h"
#include "quantlens/accuracy/outputs.h"
#include "quantlens/accuracy/words.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

/// One metric; `higher_is_better` is an option of all.
struct MetricKind {
  std::string_view name;
  bool higher_is_better = true;
  std::vector<MetricOption> options;
  std::unique_ptr<Metric> (*make)(const MetricSpec&) = nullptr;  ///< null: it needs no data
};

constexpr std::string_view kOutput = "output";  ///< of what scores one output

const std::vector<MetricKind>& kinds() {
  using enum OptionKind;
  static const MetricOption kScored{kOutput, output, {}};
  static const MetricOption kLabelOffset{"label_offset", whole, {}};
  static const std::vector<MetricKind> kKinds{
      {"top1", true, {kScored, kLabelOffset}, make_top},
      {"top5", true, {kScored, kLabelOffset}, make_top},
      {"accuracy", true, {kScored, kLabelOffset}, make_top},
      {"f1",
       true,
       {kScored,
        {"average", word, {"binary", "macro"}},
        {"positive", whole, {}},
        {"ignore_label", whole, {}},
        {"threshold", number, {}},
        kLabelOffset},
       make_f1},
      {"mse", false, {kScored}, make_distance},
      {"mae", false, {kScored}, make_distance},
      {"rmse", false, {kScored}, make_distance},
      {"map",
       true,
       {{"boxes", output, {}},
        {"scores", output, {}},
        {"classes", output, {}},
        {"detections", output, {}},
        {"format", word, {"xyxy", "yxyx", "xywh"}},
        {"label_format", word, {"xyxy", "yxyx", "xywh"}},
        {"iou", fraction, {}},
        kLabelOffset},
       make_average_precision},
      {"spearman_cosine", true, {kScored}, make_spearman},
      {"command", true, {{"timeout", positive, {}}}, nullptr},
  };
  return kKinds;
}

const MetricKind& kind_of(const std::string& name) {
  std::vector<std::string> names;
  for (const MetricKind& kind : kinds()) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  throw Error(Errc::usage, fmt::format("--metric: there is no metric '{}'; {}", printable(name),
                                       suggestion(name, names)));
}

/// Null where the metric has no such option.
const MetricOption* find_option(const MetricKind& kind, std::string_view name) {
  static const MetricOption kHigher{kHigherIsBetter, OptionKind::truth, {}};
  if (name == kHigherIsBetter) return &kHigher;
  const auto found = std::ranges::find(kind.options, name, &MetricOption::name);
  return found == kind.options.end() ? nullptr : &*found;
}

bool is_option_of_another(std::string_view name) {
  return std::ranges::any_of(
      kinds(), [&](const MetricKind& kind) { return find_option(kind, name) != nullptr; });
}

void check_option(const MetricKind& kind, const std::string& key, const std::string& value) {
  if (const MetricOption* option = find_option(kind, key)) {
    return check_value(kind.name, *option, value);
  }
  std::vector<std::string> names;
  for (const MetricOption& option : kind.options) names.emplace_back(option.name);
  names.emplace_back(kHigherIsBetter);
  if (is_option_of_another(key)) {
    throw Error(Errc::usage,
                fmt::format("--metric: {} means nothing to {}, whose options are {}; leave it out",
                            key, kind.name, fmt::join(names, ", ")));
  }
  throw Error(Errc::usage, fmt::format("--metric: {} has no option '{}'; {}{}", kind.name,
                                       printable(key), suggestion(key, names),
                                       kind.make == nullptr ? " (a comma that belongs to the "
                                                              "program must be in quotes)"
                                                            : ""));
}

void add_option(const MetricKind& kind, std::string_view text, MetricSpec& spec) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string key(text.substr(0, equals));
  const std::string value(text.substr(std::min(equals + 1, text.size())));
  check_option(kind, key, value);
  if (!spec.options.emplace(key, value).second) {
    throw Error(Errc::usage,
                fmt::format("--metric: the option '{}' is given twice; give it once", key));
  }
}

/// The program up to a comma; returns the options behind it.
std::string_view take_program(std::string_view text, MetricSpec& spec) {
  const std::string_view program = text.substr(0, before_comma(text));
  text.remove_prefix(std::min(program.size() + 1, text.size()));
  spec.program = program;
  const std::vector<std::string> words = split_words(program);
  if (words.empty() || words.front().empty()) {
    throw Error(Errc::usage,
                fmt::format("--metric: {} names no program; write {}:PROGRAM, which gets the "
                            "model's path and prints a number",
                            spec.name, spec.name));
  }
  return text;
}

}  // namespace

MetricSpec parse_metric(const std::string& text) {
  const std::size_t colon = text.find(':');
  MetricSpec spec{.name = text.substr(0, colon), .options = {}, .program = {}};
  const MetricKind& kind = kind_of(spec.name);
  std::string_view rest(text);
  rest.remove_prefix(colon == std::string::npos ? text.size() : colon + 1);
  if (kind.make == nullptr) rest = take_program(rest, spec);
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(option.size() + 1, rest.size()));
    add_option(kind, option, spec);
  }
  if (kind.make != nullptr) kind.make(spec);  // options that do not go together
  return spec;
}

std::string metric_text(const MetricSpec& spec) {
  std::string text = spec.name;
  char mark = ':';
  const auto add = [&](const std::string& part) {
    text += mark + part;
    mark = ',';
  };
  if (!spec.program.empty()) add(spec.program);
  for (const auto& [key, value] : spec.options) add(fmt::format("{}={}", key, value));
  return text;
}

std::string metric_names() {
  std::vector<std::string> names;
  for (const MetricKind& kind : kinds()) {
    names.push_back(fmt::format("{}{}", kind.name, kind.make == nullptr ? ":PROGRAM" : ""));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_higher_better(const MetricSpec& spec) {
  const std::optional<std::string> given = given_text(spec, kHigherIsBetter);
  if (given) return *given == "true";
  return spec.make || kind_of(spec.name).higher_is_better;
}

bool needs_data(const MetricSpec& spec) {
  return spec.make || kind_of(spec.name).make != nullptr;
}

bool keeps_state(const MetricSpec& spec) {
  return !spec.make;
}

void check_output(const MetricSpec& spec, const std::vector<OutputOutline>& outputs) {
  if (spec.make) return;
  for (const MetricOption& option : kind_of(spec.name).options) {
    const std::optional<std::string> wanted = given_text(spec, std::string(option.name));
    const bool is_the_one = option.name == kOutput;  // of several, each may be left out
    if (option.kind != OptionKind::output || (!wanted && !is_the_one)) continue;
    chosen_output(outputs, spec.name, wanted.value_or(""));
  }
}

void Metric::merge(std::string_view /*state*/, const SampleSet& /*samples*/) {
  throw Error(Errc::unsupported,
              "a metric of the caller's own is not put together from parts; score all samples in "
              "one run");
}

std::unique_ptr<Metric> make_metric(const MetricSpec& spec) {
  if (spec.make) {
    std::unique_ptr<Metric> own = spec.make();
    if (own != nullptr) return own;
    throw Error(Errc::usage, fmt::format("the metric '{}' made no object that scores; return one",
                                         printable(spec.name)));
  }
  const MetricKind& kind = kind_of(spec.name);
  for (const auto& [key, value] : spec.options) check_option(kind, key, value);
  return kind.make(spec);
}

}  // namespace quantlens
