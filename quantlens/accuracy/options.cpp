// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

/// The whole text as a number.
template <class T>
std::optional<T> parsed(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_number(const std::string& text, double above, double most) {
  const std::optional<double> value = parsed<double>(text);
  return value && std::isfinite(*value) && *value > above && *value <= most;
}

/// What the value must be, where it is not; empty where it fits.
std::string misfit(const MetricOption& option, const std::string& value) {
  constexpr double kMost = 1e9;
  switch (option.kind) {
    case OptionKind::output:
      return {};
    case OptionKind::whole:
      return parsed<std::int32_t>(value) ? "" : "a whole number";
    case OptionKind::fraction:
      return is_number(value, 0, 1) ? "" : "a number above 0, at most 1";
    case OptionKind::positive:
      return is_number(value, 0, kMost) ? "" : "a number above 0";
    case OptionKind::number:
      return is_number(value, -kMost, kMost) ? "" : "a number";
    case OptionKind::truth:
      return value == "true" || value == "false" ? "" : "true or false";
    case OptionKind::word:
      if (std::ranges::find(option.words, value) != option.words.end()) return {};
      return fmt::format("one of {}", fmt::join(option.words, ", "));
  }
  return {};
}

/// A value that would do, for the sentence.
std::string example(const MetricOption& option) {
  switch (option.kind) {
    case OptionKind::truth:
      return "false";
    case OptionKind::word:
      return std::string(option.words.front());
    case OptionKind::fraction:
    case OptionKind::number:
      return "0.5";
    default:
      return "1";
  }
}

}  // namespace

void check_value(std::string_view metric, const MetricOption& option, const std::string& value) {
  if (value.empty()) {
    throw Error(Errc::usage, fmt::format("--metric: the option '{}' has no value; write {}=VALUE",
                                         option.name, option.name));
  }
  const std::string wanted = misfit(option, value);
  if (wanted.empty()) return;
  throw Error(Errc::usage,
              fmt::format("--metric: {} is '{}'; give {}, e.g. {}:{}={}", option.name,
                          printable(value), wanted, metric, option.name, example(option)));
}

std::optional<std::string> given_text(const MetricSpec& spec, const std::string& option) {
  const auto found = spec.options.find(option);
  if (found == spec.options.end()) return std::nullopt;
  return found->second;
}

std::optional<std::int64_t> given_whole(const MetricSpec& spec, const std::string& option) {
  const std::optional<std::string> text = given_text(spec, option);
  return text ? parsed<std::int64_t>(*text) : std::nullopt;
}

std::optional<double> given_number(const MetricSpec& spec, const std::string& option) {
  const std::optional<std::string> text = given_text(spec, option);
  return text ? parsed<double>(*text) : std::nullopt;
}

}  // namespace quantlens
