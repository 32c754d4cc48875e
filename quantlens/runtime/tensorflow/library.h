// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/error.h"
#include "quantlens/base/store.h"
#include "quantlens/runtime/tensorflow/c_api.h"

namespace quantlens::tensorflow {

/// TensorFlow's library once it is loaded, or why it is not.
struct Library {
  bool is_there = false;
  Api api;
  std::string version;  ///< "2.21.0"
  std::string path;
  Errc code = Errc::not_found;  ///< with `problem`, of the error to throw
  std::string problem;          ///< a sentence that says what was tried
};

/// The first of these that can be loaded and is new enough. Once loaded it stays so.
Library load_library(const std::vector<fs::path>& candidates);

/// Whether this version, "2.21.0", is new enough.
bool is_new_enough(std::string_view version);

/// The library of this process, loaded by the first call. A process that has it runs TensorFlow
/// and nothing else: a malformed op may end it, and its protobuf clashes with others. So this is
/// for workers, and for tests.
const Library& library();

/// Its functions. Throws its problem where there is no library.
const Api& api();

}  // namespace quantlens::tensorflow
