// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/channel_rows.h"

#include <algorithm>
#include <cmath>

#include "quantlens/report/cell.h"
#include "quantlens/report/table.h"

namespace quantlens {
namespace {

using Channel = ChannelMoments::Channel;

Table channel_table() {
  return {.title = "",
          .columns = {{"Reference"},
                      {"Quantized"},
                      {"Axis"},
                      {"Channel"},
                      {"Elements"},
                      {"Not finite"},
                      {"Min"},
                      {"Max"},
                      {"Mean"},
                      {"Variance"},
                      {"Error mean"},
                      {"Error MSE"},
                      {"SQNR [dB]"}},
          .rows = {}};
}

/// Nothing where no element was finite.
Cell of_some(const Channel& channel, double value) {
  return channel.finite == 0 ? Cell(std::string()) : Cell(value);
}

Cell sqnr_cell(const Channel& reference, const Channel& error) {
  constexpr double kDecibels = 10;
  const double signal = reference.sum_sq.value();
  const double noise = error.sum_sq.value();
  if (error.finite == 0 || (signal == 0 && noise == 0)) return std::string();
  return kDecibels * std::log10(signal / noise);
}

}  // namespace

std::string channel_header() {
  return to_csv(channel_table());
}

std::string channel_rows(const PairedStats& pair) {
  Table table = channel_table();
  const std::vector<Channel>& references = pair.reference_channels.channels();
  const std::vector<Channel>& errors = pair.error_channels.channels();
  const std::size_t count = std::min(references.size(), errors.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Channel& reference = references[i];
    const Channel& error = errors[i];
    const double mean = error.mean();
    table.rows.push_back(
        {pair.reference, pair.quantized, static_cast<std::int64_t>(pair.channel_axis),
         count_cell(i), count_cell(reference.finite), count_cell(reference.nonfinite),
         of_some(reference, reference.min), of_some(reference, reference.max),
         of_some(reference, reference.mean()), of_some(reference, reference.variance()),
         of_some(error, mean), of_some(error, error.variance() + mean * mean),
         sqnr_cell(reference, error)});
  }
  return to_csv(table).substr(channel_header().size());
}

}  // namespace quantlens
