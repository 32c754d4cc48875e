// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace quantlens::server {

/// Why bytes are not what a file of this name should hold; empty where they are as far as can be
/// told without decoding them: a file that is none at all, or was cut off, is found.
std::string problem_of_upload(std::string_view name, std::string_view bytes);

/// Letters, digits, '.', '-' and '_', from a letter or digit on, with an ending of what quantlens
/// reads: .onnx .npz .npy .yaml .yml .json
bool is_upload_name(std::string_view name);

}  // namespace quantlens::server
