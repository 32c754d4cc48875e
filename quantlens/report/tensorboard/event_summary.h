// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quantlens/report/tensorboard/event_buckets.h"

namespace quantlens {

/// A hyperparameter's value, as TensorBoard tells them apart.
using HyperParameter = std::variant<bool, double, std::string>;
using HyperParameters = std::map<std::string, HyperParameter>;

/// What one event tells, as TensorBoard's `Summary` (field numbers: tensorboard/compat/proto/
/// summary.proto and plugins/hparams/{plugin_data,api}.proto).
class EventSummary {
 public:
  void scalar(std::string_view tag, double value);
  /// The form without a plugin, which TensorBoard reads as its own.
  void histogram(std::string_view tag, const EventBuckets& buckets);
  void text(std::string_view tag, std::string_view markdown);
  /// What the runs of one search differ in, each with the values that it takes, and the tags of the
  /// scalars by which they are judged.
  void experiment(const std::map<std::string, std::vector<HyperParameter>>& parameters,
                  const std::vector<std::string>& metrics);
  /// A run of a search, and that it has ended. Seconds since 1970.
  void session(const HyperParameters& parameters, std::string_view name, double seconds);

  bool empty() const { return bytes_.empty(); }
  const std::string& bytes() const { return bytes_; }

 private:
  void of_plugin(std::string_view tag, std::string_view plugin, std::string_view content,
                 std::string_view tensor);

  std::string bytes_;
};

}  // namespace quantlens
