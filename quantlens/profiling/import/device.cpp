// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/device.h"

#include <algorithm>
#include <string>
#include <utility>

namespace quantlens::imports {

Place place_of(std::string_view name) {
  std::string lower(name.substr(0, Nodes::kMostText));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
  if (has("/stream:all")) return all_streams;
  if (has("/stream:") || has("/memcpy")) return stream;
  return has("gpu:") || has("tpu:") ? device : host;
}

std::string_view short_device(std::string_view name) {
  constexpr std::string_view kMark = "/device:";
  const std::size_t at = name.rfind(kMark);
  return at == std::string_view::npos ? name : name.substr(at + kMark.size());
}

void StepTimes::add(std::string_view device_name, const NodeKey& key, double start_us, double us) {
  const Place place = place_of(device_name);
  first_us_ = seen_ == decltype(seen_){} ? start_us : std::min(first_us_, start_us);
  last_us_ = seen_ == decltype(seen_){} ? start_us + us : std::max(last_us_, start_us + us);
  seen_[place] = true;
  bool is_new = false;
  const std::size_t node = nodes_.find(key, is_new);
  if (is_new) nodes_.describe(node, short_device(device_name), {}, {});
  const bool accelerator = place == all_streams || place == stream;
  nodes_.add(node, place,
             {.cpu_us = accelerator ? 0 : us,
              .accelerator_us = accelerator ? us : 0,
              .start_us = start_us});
}

void StepTimes::fill(Profile& profile, Progress& progress) {
  Counted counted{.kinds = {host, device}, .span_us = last_us_ - first_us_};
  if (seen_[all_streams]) counted.beside = all_streams;
  if (seen_[stream] && !seen_[all_streams]) counted.beside = stream;
  for (std::size_t i = 0; !counted.beside && i < nodes_.size(); ++i) {
    Times& times = nodes_[i].times[device];
    std::swap(times.cpu_us, times.accelerator_us);
  }
  imports::fill(profile, nodes_, counted, progress);
}

}  // namespace quantlens::imports
