// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace quantlens::cli {

/// The page quantlens(1) in roff: all verbs that the help shows, with their options.
std::string manual(const CLI::App& program);

}  // namespace quantlens::cli
