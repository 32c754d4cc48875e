// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/json.h"
#include "quantlens/base/store.h"

namespace quantlens::server {

/// queued -> running -> one of the others, which are ends. interrupted: it did not come to its end,
/// and nobody had asked it to stop.
BOOST_DEFINE_ENUM_CLASS(JobState, queued, running, success, failure, cancelled, interrupted)

inline constexpr std::uint32_t kJobFormat = 1;

/// What is kept of a job, in jobs/<id>/job.json.
struct Job {
  std::uint32_t format = kJobFormat;
  std::string id;
  std::uint64_t number = 0;  ///< they begin in this order
  std::string verb;
  std::string name;
  JobState state = JobState::queued;
  std::string message;  ///< of an end that is no success
  std::string created;  ///< UTC, RFC 3339, as the others
  std::string started;
  std::string finished;
  json::Value request;  ///< what was asked for, its paths without links
  std::vector<std::string> arguments;
  std::uint32_t cores = 1;              ///< of the budget
  std::optional<std::string> workload;  ///< id, once it is known
  std::optional<std::string> output;    ///< path of the file that it makes
  std::optional<std::int32_t> exit_code;
  std::string cancel_asked;       ///< when
  std::int64_t pid = 0;           ///< 0: it has none yet
  std::uint64_t start_ticks = 0;  ///< when the process began, so that no other of its pid is meant
};
BOOST_DESCRIBE_STRUCT(Job, (),
                      (format, id, number, verb, name, state, message, created, started, finished,
                       request, arguments, cores, workload, output, exit_code, cancel_asked, pid,
                       start_ticks))

bool has_ended(JobState state);

inline constexpr const char* kJobRecord = "job.json";
inline constexpr const char* kJobLog = "log.jsonl";        ///< what it says on standard error
inline constexpr const char* kJobOutput = "output.txt";    ///< and on standard output
inline constexpr const char* kMade = "made";               ///< the folder of its own output
inline constexpr std::string_view kRemoved = ".removed-";  ///< before the id of one that goes

/// The time as a job has it.
std::string now_text();

/// One that cannot be read is a failure, with the reason as its message.
Job read_job(const fs::path& folder);
/// All or nothing. Throws Errc::io.
void write_job(Store& store, const fs::path& folder, const Job& job);

}  // namespace quantlens::server
