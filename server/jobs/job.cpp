// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job.h"

#include <chrono>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/workspace/workload_id.h"
#include "server/read_bounded.h"

namespace quantlens::server {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;

struct FormatOnly {
  std::uint32_t format = kJobFormat;
};
BOOST_DESCRIBE_STRUCT(FormatOnly, (), (format))

Job decoded(const std::string& text) {
  const json::Value value = json::parse(text, kJobRecord);
  const std::uint32_t format = json::decode<FormatOnly>(value, kJobRecord).format;
  if (format > kJobFormat) {
    throw Error(Errc::unsupported, fmt::format("{}: is of format {}, and this quantlens reads up "
                                               "to {}; update quantlens",
                                               kJobRecord, format, kJobFormat));
  }
  return json::decode<Job>(value, kJobRecord);
}

}  // namespace

bool has_ended(JobState state) {
  return state != JobState::queued && state != JobState::running;
}

std::string now_text() {
  return utc_text(std::chrono::system_clock::now());
}

Job read_job(const fs::path& folder) {
  const std::string id = folder.filename().string();
  Job job;
  try {
    const auto text = read_bounded(folder / kJobRecord, kMostBytes);
    if (!text) throw Error(Errc::bad_input, fmt::format("{}: cannot be read", kJobRecord));
    job = decoded(*text);
  } catch (const Error& error) {
    job = Job{.state = JobState::failure, .message = error.what()};
    job.created = time_of_workload_id(id);
  }
  job.id = id;  // the folder is the truth, even if it was renamed
  return job;
}

void write_job(Store& store, const fs::path& folder, const Job& job) {
  write_atomic(store, folder / kJobRecord, json::dump(json::encode(job)));
}

}  // namespace quantlens::server
