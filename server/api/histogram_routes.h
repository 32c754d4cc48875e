// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/api/route.h"

namespace quantlens::server {

// What was counted of values and weights, in both models.
Answer list_histograms(Context& context, const Call& call);
Answer show_histogram(Context& context, const Call& call);
Answer show_channels(Context& context, const Call& call);

json::Value histogram_list_schema(Schemas& schemas);
json::Value histogram_schema(Schemas& schemas);
json::Value channels_schema(Schemas& schemas);

}  // namespace quantlens::server
