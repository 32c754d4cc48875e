// How jobs begin, are followed and end: what the jobs' own thread does. What is asked over the API
// is in jobs.cpp.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

#include "quantlens/base/error.h"
#include "server/compact.h"
#include "server/jobs/command_line.h"
#include "server/jobs/exit_code.h"
#include "server/jobs/jobs.h"
#include "server/jobs/queue.h"
#include "server/own_folder.h"

namespace quantlens::server {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks(200);
constexpr milliseconds kIdle(5000);
constexpr const char* kInterrupted = "interrupted";  // as workloads say it

/// Whether a server died before it wrote the record.
bool is_unmade(const Store& store, const fs::path& folder) {
  return std::ranges::all_of(store.list(folder), [](const std::string& name) {
    return name == kMade || name.starts_with(fmt::format("{}.part", kJobRecord));
  });
}

}  // namespace

/// Where no other server has the jobs, they are ours from now on.
void Jobs::take_over() {
  if (is_writable(roots_.workspace())) {
    store_.make_folder(folder_);
    lock_ = FileLock::take(folder_ / "lock");
  }
  load();
  if (!lock_) return;
  uploads_.remove_unfinished();
  const std::vector<FoundProcess> found = processes_with(kJobMark);
  for (auto& [id, live] : jobs_) adopt(live, found);
  for (const FoundProcess& one : found) {  // what the processes of ended jobs have left behind
    const fs::path folder(one.value);
    if (folder.parent_path() != folder_) continue;
    const auto job = jobs_.find(folder.filename().string());
    if (job == jobs_.end() || job->second.job.state != JobState::running)
      signal_one(one.id, SIGKILL);
  }
}

void Jobs::load() {
  jobs_.clear();
  for (const std::string& id : store_.list(folder_)) {
    const fs::path folder = folder_of(id);
    if (!is_own_folder(folder)) continue;
    const bool is_left = id.starts_with(kRemoved) || is_unmade(store_, folder);
    if (is_left && lock_) store_.remove(folder);
    if (is_left || !is_plain_name(id)) continue;
    Live live{.job = read_job(folder), .log = JobLog(folder / kJobLog), .kill_at = {}};
    live.is_damaged = live.job.verb.empty();
    last_number_ = std::max(last_number_, live.job.number);
    jobs_.emplace(id, std::move(live));
  }
}

/// A job whose record says that it runs, or whose record is lost while its process is there.
void Jobs::adopt(Live& live, const std::vector<FoundProcess>& found) {
  Job& job = live.job;
  const std::string mark = mark_of(job.id);
  const auto process = std::ranges::find_if(
      found, [&](const FoundProcess& one) { return one.value == mark && one.leads_group; });
  const bool is_there = process != found.end();
  if (live.is_damaged && is_there) {
    job.state = JobState::running;
  } else if (job.state != JobState::running) {
    return;
  }
  live.log.catch_up(job.workload.has_value());
  if (is_there) {
    job.pid = process->id.pid;
    job.start_ticks = process->id.start_ticks;
  }
  // One that is about to become the program has no mark yet: the next looks tell.
  if (!is_there && !is_running({static_cast<pid_t>(job.pid), job.start_ticks}))
    return end_unseen(live);
  if (!job.cancel_asked.empty()) live.kill_at = Clock::now() + options_.patience;
}

void Jobs::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    try {
      look();
    } catch (const std::exception&) {
      // What failed is tried again at the next look; requests say what is wrong.
    }
    const bool is_busy = lock_ && std::ranges::any_of(jobs_, [](const auto& one) {
                           return one.second.is_unsaved || !has_ended(one.second.job.state);
                         });
    changed_.wait_for(lock, is_busy ? kBetweenLooks : kIdle);
  }
}

void Jobs::look() {
  if (!lock_) return take_over();  // the other server may have ended
  for (auto& [id, live] : jobs_) {
    if (live.job.state == JobState::running) follow(live);
    if (live.is_unsaved) save(live);
  }
  begin_waiting();
}

void Jobs::follow(Live& live) {
  const ProcessId process{static_cast<pid_t>(live.job.pid), live.job.start_ticks};
  // Before the log is read: what an ended process has said is then all there.
  const std::optional<int> status = live.is_child ? take_status(process) : std::nullopt;
  const bool is_gone = status || (!live.is_child && !is_running(process));
  const bool has_news = live.log.read();
  if (live.log.workload() && live.job.workload != live.log.workload()) {
    live.job.workload = live.log.workload();
    save(live);
  }
  if (status) return end_by_status(live, *status);
  if (is_gone) return end_unseen(live);
  if (has_news) tell(live);
  if (live.kill_at && Clock::now() >= *live.kill_at) {
    signal_group(process, SIGKILL);
    live.kill_at.reset();
  }
}

void Jobs::begin_waiting() {
  std::vector<Live*> waiting;
  unsigned running = 0;
  for (auto& [id, live] : jobs_) {
    if (live.job.state == JobState::queued) waiting.push_back(&live);
    if (live.job.state == JobState::running) running += live.job.cores;
  }
  std::ranges::sort(waiting, {}, [](const Live* live) { return live->job.number; });
  std::vector<unsigned> cores;
  cores.reserve(waiting.size());
  for (const Live* live : waiting) cores.push_back(live->job.cores);
  waiting.resize(jobs_to_begin(cores, running, options_.cores));
  for (Live* live : waiting) begin(*live);
}

void Jobs::begin(Live& live) {
  try {
    launch(live);
  } catch (const std::exception& error) {
    finish(live, JobState::failure, error.what());
  }
}

/// The files may be others than when it was submitted: all is checked again. The child waits until
/// its record is on disk, so that no process is without one.
void Jobs::launch(Live& live) {
  Job& job = live.job;
  const fs::path folder = folder_of(job.id);
  if (!job.request.is_object())
    throw Error(Errc::bad_input, "Its record does not say what it was to do.");
  const CommandLine line = make_command_line(
      job.request.get_object(),
      {.workspace = workspace_, .roots = roots_, .folder = folder, .budget = options_.cores});
  store_.make_folder(folder / kMade);
  store_.remove(folder / kExitCode);
  job.arguments = line.arguments;
  ProcessStart start{.program = options_.program,
                     .arguments = line.arguments,
                     .environment = environment_of_job(mark_of(job.id)),
                     .folder = folder,
                     .output = folder / kJobOutput,
                     .error = folder / kJobLog};
  start.arguments.insert(start.arguments.begin(), "quantlens");
  HeldProcess process(start);
  job.state = JobState::running;
  job.started = now_text();
  job.pid = process.id().pid;
  job.start_ticks = process.id().start_ticks;
  write_job(store_, folder, job);
  process.release();
  live.is_child = true;
  tell(live);
}

void Jobs::end_by_status(Live& live, int status) {
  sweep(live.job.id);
  if (!WIFEXITED(status)) {
    const int signal = WTERMSIG(status);
    const bool has_crashed = signal != SIGKILL && signal != SIGINT && signal != SIGTERM &&
                             signal != SIGHUP && live.job.cancel_asked.empty();
    if (has_crashed) {
      return finish(live, JobState::failure,
                    fmt::format("The program crashed (signal {}); its log may say more.", signal));
    }
    return end_unseen(live);
  }
  end_by_code(live, WEXITSTATUS(status));
}

void Jobs::end_by_code(Live& live, int code) {
  constexpr int kDone = 0, kGoalMissed = 3, kStopped = 130;
  live.job.exit_code = code;
  const bool is_cancelled = !live.job.cancel_asked.empty();
  switch (code) {
    case kDone:
      return finish(live, JobState::success, "");
    case kGoalMissed:
      return finish(live, JobState::success, "It is done, but the goal was missed.");
    case kStopped:
      return finish(live, is_cancelled ? JobState::cancelled : JobState::interrupted, "");
    default:
      return finish(live, JobState::failure,
                    live.log.last_sentence().empty()
                        ? fmt::format("It ended with exit code {} and has left no word in its log; "
                                      "the disk may be full.",
                                      code)
                        : live.log.last_sentence());
  }
}

/// How it ended is told by the exit code that it has left or, where it was ended from outside, by
/// what it stored: the workload was finished, or it was not. One that has said nothing waited at
/// its gate when the server died; it has not begun.
void Jobs::end_unseen(Live& live) {
  sweep(live.job.id);
  const std::optional<int> code = left_exit_code(folder_of(live.job.id));
  if (!code && !live.is_child && live.log.is_empty() && live.job.cancel_asked.empty()) {
    live.job.state = JobState::queued;
    live.job.pid = 0;
    save(live);
    return tell(live);
  }
  live.log.read();
  if (!live.job.workload) live.job.workload = live.log.workload();
  if (code) return end_by_code(live, *code);
  const JobState cut_off =
      live.job.cancel_asked.empty() ? JobState::interrupted : JobState::cancelled;
  const std::string& said = live.log.last_sentence();
  if (!live.job.workload) {
    const bool has_failed = said.starts_with("quantlens: ");
    return finish(live, has_failed ? JobState::failure : cut_off, has_failed ? said : "");
  }
  try {
    const Workload workload = workspace_.find(*live.job.workload);
    if (workload.state == WorkloadState::success) return finish(live, JobState::success, "");
    const bool has_failed =
        workload.state == WorkloadState::failure && workload.message != kInterrupted;
    finish(live, has_failed ? JobState::failure : cut_off, has_failed ? workload.message : "");
  } catch (const Error&) {
    finish(live, cut_off, "");  // the workload was removed, or cannot be read
  }
}

void Jobs::finish(Live& live, JobState state, std::string message) {
  if (state == JobState::interrupted && message.empty())
    message = "Its process was ended from outside, or the machine was.";
  live.job.state = state;
  live.job.message = std::move(message);
  live.job.finished = now_text();
  live.kill_at.reset();
  save(live);
  tell(live);
}

/// A record that cannot be written now is kept in memory, and written at a later look.
void Jobs::save(Live& live) {
  try {
    write_job(store_, folder_of(live.job.id), live.job);
    live.is_unsaved = false;
  } catch (const Error&) {
    live.is_unsaved = true;
  }
}

/// Ends what the job's process has left running.
void Jobs::sweep(const std::string& id) const {
  const std::string mark = mark_of(id);
  for (const FoundProcess& one : processes_with(kJobMark)) {
    if (one.value == mark) signal_one(one.id, SIGKILL);
  }
}

void Jobs::tell(const Live& live) {
  const bool runs = live.job.state == JobState::running;
  events_.publish("jobs", compact(json::encode(JobChange{live.job.id, live.job.state,
                                                         runs ? live.log.progress() : std::nullopt,
                                                         live.job.workload})));
}

}  // namespace quantlens::server
