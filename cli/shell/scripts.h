// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace quantlens::cli {

/// What makes a shell ask `quantlens complete` how a line may go on: of bash, zsh or fish; empty
/// for any other. It knows no verb and no option, so it need not be renewed with the program.
std::string_view completion_script(std::string_view shell);

}  // namespace quantlens::cli
