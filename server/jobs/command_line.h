// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "quantlens/workspace/workspace.h"
#include "server/jobs/roots.h"

namespace quantlens::server {

/// What a request comes to: words of a command line, each of them made here.
struct CommandLine {
  std::string verb;
  std::string name;                    ///< of the run; empty: the program names it
  boost::json::object request;         ///< as it was given, with paths without links and whole ids
  std::vector<std::string> arguments;  ///< without the program's name
  unsigned cores = 1;
  std::optional<fs::path> output;
};

/// Where a job is, and what it may use.
struct JobPlace {
  const Workspace& workspace;
  const Roots& roots;
  fs::path folder;  ///< of the job; it need not be there
  unsigned budget;  ///< of cores
};

/// Checks each field of a request, {"verb": "quantize", "model": "/...", ...}, and says it in the
/// words of the command line: a path begins with '/', and every other value stands behind its
/// option's '=', so that none of them can be an option. Throws Refusal; Error from the workspace.
CommandLine make_command_line(const boost::json::object& asked, const JobPlace& place);

}  // namespace quantlens::server
