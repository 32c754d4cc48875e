// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace quantlens::cli {

/// Help in two columns, together at most 100 wide where words allow.
std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace quantlens::cli
