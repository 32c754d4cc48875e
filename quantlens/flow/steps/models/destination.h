// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/flow/session.h"

namespace quantlens::flow {

/// Where a quantized model goes: `wanted`, or, where that is empty, `.int8` before the model's
/// extension, which is `.pb` for what is frozen first: a SavedModel's folder, a Keras file. Of a
/// symbolic link the file that it means, beside which external data belong.
fs::path destination_of(const fs::path& wanted, const fs::path& model);

/// A file that is to be written, and the option that names it.
struct Destination {
  fs::path path;
  std::string option = "-o";
  bool is_model = true;  ///< its external data may be written beside it
};

/// What a verb reads.
struct Sources {
  const Model* model = nullptr;
  std::vector<fs::path> files;          ///< empty paths are none
  std::vector<const FittedData*> data;  ///< null ones are none
};

/// Says before hours of work what would stop the writing after them: throws Errc::usage where a
/// file would be written that is read, Errc::io where its folder is not there or may not be written
/// to, or it is no regular file, or links in a circle. A symbolic link is the file that it means.
void check_destination(const Destination& destination, const Sources& sources);

/// Throws Errc::usage where `destination` is a file that `other` means as well.
void check_apart(const Destination& destination, const Destination& other);

}  // namespace quantlens::flow
