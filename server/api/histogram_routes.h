// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"
#include "server/api/stored_pair.h"

namespace quantlens::server {

// What was counted of values and weights, in both models.
Answer list_histograms(Context& context, const Call& call);
Answer show_histogram(Context& context, const Call& call);
Answer show_channels(Context& context, const Call& call);

/// What show_histogram answers of all channels.
json::Value histogram_of(const CountedPair& pair, const std::string& reference,
                         const std::string& quantized, std::uint64_t bins);

json::Value histogram_list_schema(Schemas& schemas);
json::Value histogram_schema(Schemas& schemas);
json::Value channels_schema(Schemas& schemas);

}  // namespace quantlens::server
