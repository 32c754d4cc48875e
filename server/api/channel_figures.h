// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/record/tap_state.h"

namespace quantlens::server {

/// What was gathered of a pair by channel: lists of one length, that of `channels`; null: it was
/// not. A channel without a finite element has neither extremes nor mean: they are NaN, and its
/// error is infinite, as that of such a tensor is.
struct ChannelFigures {
  std::string reference_name;
  std::string quantized_name;
  std::optional<int> axis;  ///< of the channels, in the reference's shape; null: none were gathered
  std::uint64_t total = 0;  ///< channels that there are
  std::uint64_t offset = 0;
  std::vector<std::uint32_t> histograms;  ///< of all channels those that have their own
  std::vector<std::uint64_t> channels;
  std::optional<std::vector<double>> min, max;  ///< of the reference, as the next two
  std::optional<std::vector<double>> mean, standard_deviation;
  std::vector<double> mse;
  std::optional<std::vector<double>> sqnr_db;
};
BOOST_DESCRIBE_STRUCT(ChannelFigures, (),
                      (reference_name, quantized_name, axis, total, offset, histograms, channels,
                       min, max, mean, standard_deviation, mse, sqnr_db))

/// Of at most `limit` channels, `offset` left out first.
ChannelFigures channel_figures(const PairedStats& pair, std::uint64_t offset, std::uint64_t limit);

}  // namespace quantlens::server
