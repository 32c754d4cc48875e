// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/accuracy/metric.h"

namespace quantlens {

// What the options of metrics may be; not for other modules.

enum class OptionKind {
  output,    ///< a graph output
  whole,     ///< a whole number of 32 bits
  fraction,  ///< above 0, at most 1
  positive,  ///< a number above 0
  number,    ///< any finite one
  truth,     ///< true or false
  word,      ///< one of the words
};

struct MetricOption {
  std::string_view name;
  OptionKind kind = OptionKind::output;
  std::vector<std::string_view> words;  ///< of OptionKind::word
};

/// Throws Errc::usage, in the words of the metric, where the value is none of this option.
void check_value(std::string_view metric, const MetricOption& option, const std::string& value);

/// The option's value, which check_value has passed; nothing where it is not given.
std::optional<std::string> given_text(const MetricSpec& spec, const std::string& option);
std::optional<std::int64_t> given_whole(const MetricSpec& spec, const std::string& option);
std::optional<double> given_number(const MetricSpec& spec, const std::string& option);

}  // namespace quantlens
