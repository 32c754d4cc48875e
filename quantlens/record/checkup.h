// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace quantlens {

/// A runtime, and why it cannot be used where it cannot.
struct RuntimeStatus {
  std::string name;  ///< "onnxruntime", "oracle"
  bool available = false;
  std::string version;
  std::string where;    ///< path of its library
  std::string problem;  ///< why not, where it is not available
};
BOOST_DESCRIBE_STRUCT(RuntimeStatus, (), (name, available, version, where, problem))

/// What quantlens finds of itself and of the machine; `quantlens doctor` tells it.
struct Checkup {
  std::string version;  ///< of quantlens
  unsigned cores = 1;   ///< that this process may use
  bool vnni = false;    ///< 8-bit dot products that do not saturate
  std::string workspace;
  std::vector<RuntimeStatus> runtimes;
};
BOOST_DESCRIBE_STRUCT(Checkup, (), (version, cores, vnni, workspace, runtimes))

}  // namespace quantlens
