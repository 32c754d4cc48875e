// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quantlens {

using Moment = std::chrono::system_clock::time_point;

/// UTC with milliseconds, RFC 3339: "2026-11-21T11:30:45.123Z".
std::string utc_text(Moment moment);

/// "20261121-113045-quantize-mobilenet-3f2a": sorts by time, safe as a folder's name everywhere.
std::string make_workload_id(Moment moment, std::string_view verb, std::string_view name,
                             std::uint16_t random);

/// The second that an id begins with, as utc_text without milliseconds; empty where it has none.
std::string time_of_workload_id(std::string_view id);

/// Seconds since 1970 of what utc_text gives, with milliseconds or without; nothing of other text.
std::optional<double> seconds_of_utc(std::string_view text);

}  // namespace quantlens
