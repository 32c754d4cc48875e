// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "server/jobs/roots.h"

namespace quantlens::server {

/// What `--data` may name: a file or folder below the roots, and so is all that a data document
/// names (its folder, labels and arrays, and each image), and where links in a folder of images
/// lead. Returns its path without links. `field` is how the client calls it. Throws Refusal.
fs::path checked_data(std::string_view text, std::string_view field, const Roots& roots);

/// The folder below the roots of which each image is a sample: such a `--data` itself, or what it
/// says as a document; nothing where its samples are no images. What is in the folder is not looked
/// at. Throws Refusal.
std::optional<fs::path> images_folder(std::string_view text, std::string_view field,
                                      const Roots& roots);

}  // namespace quantlens::server
