// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "quantlens/dataset/open.h"

namespace quantlens {

/// Whether the data set reads this file, by whatever name.
bool reads(const OpenedData& data, const std::filesystem::path& file);

/// Equal for the same files. Covers the bytes of the document, of labels and of arrays (of files
/// larger than 64 MiB their size and 64 parts of 1 MiB, from the first to the last), the names and
/// sizes of samples that are files of their own, and Dataset::fingerprint. Throws Errc::not_found
/// or Errc::io for a file that is gone meanwhile.
std::string fingerprint(const OpenedData& data);

}  // namespace quantlens
