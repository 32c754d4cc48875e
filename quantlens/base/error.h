// base: what every other module stands on: errors, progress, JSON, text, files, a thread budget.
// Knows nothing of tensors, models or runtimes. Start with error.h and store.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace quantlens {

/// What kind of failure a person is told about; `exit_code` turns it into the program's exit code.
enum class Errc {
  failed,       ///< it went wrong while working: 1
  usage,        ///< the command line or the recipe asks for something impossible: 2
  bad_input,    ///< a file or its contents are not what they should be: 1
  not_found,    ///< a file, a value, a workload is not there: 1
  unsupported,  ///< known, but quantlens does not do it: 1
  io,           ///< the system refused to read or write: 1
  interrupted,  ///< the user asked to stop: 130
};

/// The one exception type: a sentence that says what, where, and what to do next.
/// Thrown where the fact is known, caught at the doors (command line, server, Python, worker).
class Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  Errc code() const { return code_; }

 private:
  Errc code_;
};

/// The program's exit code for an error of this kind (design: 0 done, 1 failed, 2 wrong use,
/// 3 goal missed, 130 interrupted).
int exit_code(Errc code);

}  // namespace quantlens
