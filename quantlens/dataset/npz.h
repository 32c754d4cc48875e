// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/dataset/arrays.h"
#include "quantlens/dataset/dataset.h"

namespace quantlens {

/// How a .npz file is read.
struct NpzReading {
  std::string_view where;     ///< its name in sentences
  bool unpack_ahead = false;  ///< a thread of its own unpacks while samples are read
};

/// The arrays of a NumPy .npz file as samples. Members that numpy.savez stored are views into the
/// mapping and take no memory; those that numpy.savez_compressed deflated are unpacked once: here,
/// or from here on, and then what is damaged shows when its rows, or the last one, are read
/// (Dataset::check_whole). Throws Errc::bad_input naming `where` for an unsound file.
std::unique_ptr<Dataset> open_npz(const MappedFile& file, const ArrayRoles& roles,
                                  const std::vector<InputSpec>& inputs, const NpzReading& reading);

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
