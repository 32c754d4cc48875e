// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/profile.h"

namespace quantlens {

/// One run of the model in Chrome's trace format, for Perfetto (ui.perfetto.dev) and
/// chrome://tracing: one process, in it the run as a whole and the nodes in order of execution,
/// laid end to end with their mean_us. An event's category is the node's role.
std::string trace_json(const Profile& profile);

/// Each model of a profile in a process of its own.
std::string trace_json(const ProfileRecord& profile);

}  // namespace quantlens
