// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/profile.h"
#include "quantlens/report/table.h"

namespace quantlens {

/// **Profiling**: the predecessors' six columns (times of all runs in whole microseconds), then
/// ours. Rows are nodes of the runtime's graph, or its types; the longest first.
enum class ProfileRows { nodes, types };
Table profiling_table(const Profile& profile, ProfileRows rows);

/// Both models' times, op by op of the reference, or type by type; the most lost first.
Table joined_table(const ProfileRecord& pair, ProfileRows rows = ProfileRows::nodes);

/// The predecessors' profiling_data.json: a list of objects, one a node, indented by four.
std::string profiling_data(const Profile& profile);

/// How much of the wall time the nodes explain, what the timers cost, what is left; in lines of at
/// most 100 columns, each ended by a newline. `label` stands before it.
std::string profile_text(const Profile& profile, const std::string& label = "");

/// The verdict and the findings with their remedies, likewise.
std::string speed_text(const ProfileRecord& pair);

/// How its findings are to be read.
std::string_view speed_note();

}  // namespace quantlens
