// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantlens/base/store.h"

namespace quantlens::server {

/// Why the file at `path` is not what one of this name should hold; empty where it is as far as can
/// be told without decoding it: what is none at all, or was cut off, is found. Throws Errc::io.
std::string problem_of_upload(std::string_view name, const fs::path& path);

/// Letters, digits, '.', '-' and '_', from a letter or digit on, with an ending of what quantlens
/// reads: .onnx .npz .npy .yaml .yml .json
bool is_upload_name(std::string_view name);

}  // namespace quantlens::server
