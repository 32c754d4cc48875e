// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/jobs.h"

#include <algorithm>
#include <csignal>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/workspace/workload_id.h"
#include "server/compact.h"
#include "server/jobs/command_line.h"
#include "server/jobs/fields.h"
#include "server/jobs/refusal.h"
#include "server/own_folder.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostWaiting = 100;
constexpr std::size_t kMostJobs = 10'000;
constexpr std::size_t kMostIdShown = 80;
constexpr std::uint64_t kMostLogPart = std::uint64_t{256} << 10;

}  // namespace

Jobs::Jobs(Store& store, Workspace& workspace, Events& events, JobsOptions options)
    : store_(store),
      workspace_(workspace),
      events_(events),
      options_(std::move(options)),
      roots_(workspace.root(), options_.roots),
      folder_(roots_.workspace() / "jobs"),
      uploads_(store, roots_.workspace(), options_.upload_bytes, options_.upload_quota) {
  take_over();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    thread_.request_stop();
  }
  changed_.notify_all();
}

std::string Jobs::mark_of(const std::string& id) const {
  return folder_of(id).string();
}

void Jobs::check_ours() const {
  if (lock_) return;
  if (!is_writable(roots_.workspace())) {
    throw Refusal(kConflict,
                  "The workspace cannot be written, so nothing is started or changed in it.");
  }
  throw Refusal(kConflict, "Another server runs the jobs of this workspace; ask that one.");
}

Jobs::Live& Jobs::live(std::string_view id) {
  const auto found = jobs_.find(id);
  if (found != jobs_.end()) return found->second;
  throw Refusal(kNotThere, fmt::format("There is no job '{}'.", server::shown(id, kMostIdShown)));
}

ShownJob Jobs::shown(const Live& live) const {
  ShownJob job;
  static_cast<Job&>(job) = live.job;
  if (live.job.state == JobState::running) job.progress = live.log.progress();
  if (live.job.state == JobState::queued) {
    job.before = std::ranges::count_if(jobs_, [&](const auto& one) {
      return one.second.job.state == JobState::queued && one.second.job.number < live.job.number;
    });
  }
  return job;
}

/// The program's own parser knows best what it takes.
void Jobs::check_usage(const CommandLine& line) const {
  if (!options_.check_usage) return;
  try {
    options_.check_usage(line.arguments);
  } catch (const Error& error) {
    throw Refusal(kWrongRequest, in_words_of_fields(error.what(), line.verb));
  }
}

/// Its folder is named before it is known whether the request is sound: the name is made safe.
std::string Jobs::new_id(const boost::json::object& asked) const {
  const auto text = [&](std::string_view name) {
    const auto* value = asked.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string())
                                                  : std::string();
  };
  const std::string name =
      text("name").empty() ? fs::path(text("model")).stem().string() : text("name");
  std::random_device random;
  return make_workload_id(std::chrono::system_clock::now(), text("verb"), name,
                          static_cast<std::uint16_t>(random()));
}

ShownJob Jobs::submit(const boost::json::object& asked) {
  Job job;
  job.id = new_id(asked);
  // Without the lock: a folder of many images takes a while to check.
  const CommandLine line = make_command_line(asked, {.workspace = workspace_,
                                                     .roots = roots_,
                                                     .folder = folder_of(job.id),
                                                     .budget = options_.cores});
  check_usage(line);
  job.verb = line.verb;
  job.name = line.name.empty() ? fs::path(line.arguments.at(1)).stem().string() : line.name;
  job.created = now_text();
  job.request = line.request;
  job.arguments = line.arguments;
  job.cores = line.cores;
  if (line.output) job.output = line.output->string();
  const std::lock_guard lock(mutex_);
  return add(std::move(job));
}

ShownJob Jobs::add(Job job) {
  check_ours();
  const auto waiting = static_cast<std::size_t>(std::ranges::count_if(
      jobs_, [](const auto& one) { return one.second.job.state == JobState::queued; }));
  if (waiting >= kMostWaiting || jobs_.size() >= kMostJobs)
    throw Refusal(kConflict, "Too many jobs are there; wait for some, or delete ended ones.");
  const fs::path folder = folder_of(job.id);
  if (fs::exists(folder))
    throw Refusal(kConflict, "Another job of this second has the same id; try again.");
  job.number = ++last_number_;
  store_.make_folder(folder / kMade);
  try {
    write_job(store_, folder, job);
  } catch (const Error&) {
    store_.remove(folder);
    throw;
  }
  const std::string id = job.id;
  Live live{.job = std::move(job), .log = JobLog(folder / kJobLog), .kill_at = {}};
  const Live& kept = jobs_.emplace(id, std::move(live)).first->second;
  tell(kept);
  changed_.notify_all();
  return shown(kept);
}

std::vector<ShownJob> Jobs::list() {
  const std::lock_guard lock(mutex_);
  std::vector<ShownJob> jobs;
  for (const auto& [id, live] : jobs_) jobs.push_back(shown(live));
  std::ranges::sort(jobs, std::greater<>(), &ShownJob::number);
  return jobs;
}

ShownJob Jobs::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  return shown(live(id));
}

ShownJob Jobs::cancel(std::string_view id) {
  const std::lock_guard lock(mutex_);
  check_ours();
  Live& found = live(id);
  Job& job = found.job;
  if (has_ended(job.state))
    throw Refusal(kConflict, fmt::format("The job has ended: {}.", word(job.state)));
  if (!job.cancel_asked.empty()) return shown(found);
  job.cancel_asked = now_text();
  if (job.state == JobState::queued) {
    finish(found, JobState::cancelled, "");
    return shown(found);
  }
  save(found);
  found.kill_at = Clock::now() + options_.patience;
  signal_group({static_cast<pid_t>(job.pid), job.start_ticks}, SIGINT);
  changed_.notify_all();
  return shown(found);
}

void Jobs::remove(std::string_view id, std::string_view confirm) {
  const std::lock_guard lock(mutex_);
  check_ours();
  Live& found = live(id);
  const std::string own(id);
  if (found.job.state == JobState::running)
    throw Refusal(kConflict, "The job is running; cancel it first.");
  if (!store_.list(folder_of(own) / kMade).empty() && confirm != own) {
    throw Refusal(kWrongRequest, fmt::format("This removes what the job made, too; say so with "
                                             "confirm={}",
                                             printable(own)));
  }
  // One that was renamed is removed, whatever happens next.
  const fs::path removed = folder_ / fmt::format("{}{}", kRemoved, own);
  std::error_code error;
  fs::rename(folder_of(own), removed, error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw Error(Errc::io, fmt::format("The job cannot be removed: {}", error.message()));
  jobs_.erase(own);
  events_.publish("jobs", compact(json::encode(JobChange{own, {}, {}, {}})));
  store_.remove(removed);
}

fs::path Jobs::made_file(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const Job& job = live(id).job;
  fs::path file(job.output.value_or(""));
  std::error_code ignored;
  const bool is_there = file.parent_path() == folder_of(job.id) / kMade &&
                        fs::is_regular_file(fs::symlink_status(file, ignored));
  if (is_there) return file;
  throw Refusal(kNotThere,
                "The job has no file in its own folder: it has made none yet, or its `output` was "
                "asked for elsewhere.");
}

LogPart Jobs::log(std::string_view id, std::uint64_t after, bool of_output) {
  fs::path folder;
  {
    const std::lock_guard lock(mutex_);
    folder = folder_of(live(id).job.id);
  }
  return log_part(folder / (of_output ? kJobOutput : kJobLog), after, kMostLogPart);
}

}  // namespace quantlens::server
