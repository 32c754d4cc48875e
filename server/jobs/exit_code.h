// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantlens/base/store.h"

namespace quantlens::server {

/// For a job's own process, right before it ends: leaves its exit code in the job's folder, where a
/// server reads it that did not wait for the process. Does nothing in any other process, nor in
/// those that a job has started; never throws, as there is nobody left to be told.
void leave_exit_code(int code) noexcept;

/// What such a process has left; nothing where it was ended from outside.
std::optional<int> left_exit_code(const fs::path& folder);

inline constexpr const char* kExitCode = "exit_code";

}  // namespace quantlens::server
