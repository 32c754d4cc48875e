// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace quantlens {

/// new -> wip -> success | failure; "interrupted" is a failure's message.
BOOST_DEFINE_ENUM_CLASS(WorkloadState, new_, wip, success, failure)

struct ModelFile {
  std::string role;  ///< reference | quantized
  std::string path;
  std::string sha256;
  std::uint64_t bytes = 0;
};
BOOST_DESCRIBE_STRUCT(ModelFile, (), (role, path, sha256, bytes))

/// One run's own record: the only file that holds ids, times and thread counts.
struct Workload {
  std::uint32_t format = 2;  ///< major version of the folder's layout
  std::string id;
  std::string name;
  std::string verb;
  std::vector<std::string> arguments;
  WorkloadState state = WorkloadState::new_;
  std::string message;  ///< of a failure
  std::string created;  ///< UTC, RFC 3339
  std::string finished;
  std::vector<ModelFile> models;
  std::map<std::string, std::string> environment;  ///< versions, CPU, threads
  std::map<std::string, double> times;  ///< seconds by phase; they add up to what was measured
};
BOOST_DESCRIBE_STRUCT(Workload, (),
                      (format, id, name, verb, arguments, state, message, created, finished, models,
                       environment, times))

}  // namespace quantlens
