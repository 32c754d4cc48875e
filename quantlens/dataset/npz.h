// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/dataset/arrays.h"
#include "quantlens/dataset/dataset.h"

namespace quantlens {

/// The arrays of a NumPy .npz file as samples. Members that numpy.savez stored are views into the
/// mapping and take no memory; those that numpy.savez_compressed deflated are unpacked once, here.
/// Throws Errc::bad_input naming `where` for an unsound file.
std::unique_ptr<Dataset> open_npz(const MappedFile& file, const ArrayRoles& roles,
                                  const std::vector<InputSpec>& inputs, std::string_view where);

/// One .npy file for a model of one input (or the input that `input` names), and perhaps another
/// one of labels.
struct NpyFiles {
  MappedFile samples;
  std::string where;
  std::optional<MappedFile> labels;
  std::string labels_where;
};
std::unique_ptr<Dataset> open_npy(const NpyFiles& files, const std::vector<InputSpec>& inputs,
                                  const std::string& input);

}  // namespace quantlens
