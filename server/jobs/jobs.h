// jobs: `quantlens <verb>` as child processes, asked for over the API. The folders below jobs/ of
// the workspace are the truth: a job goes on when the server ends, and the next server finds it
// there. Start here, then command_line.h (what may be asked), roots.h (which files) and process.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json/object.hpp>

#include "quantlens/workspace/file_lock.h"
#include "quantlens/workspace/workspace.h"
#include "server/events.h"
#include "server/jobs/command_line.h"
#include "server/jobs/job.h"
#include "server/jobs/job_log.h"
#include "server/jobs/process.h"
#include "server/jobs/roots.h"
#include "server/jobs/uploads.h"

namespace quantlens::server {

struct JobsOptions {
  std::vector<fs::path> roots;  ///< beside the workspace's own
  unsigned cores = 1;           ///< that all jobs may keep busy; 0: none is begun
  std::uint64_t upload_bytes = std::uint64_t{2000} << 20;  ///< of one upload
  std::uint64_t upload_quota = std::uint64_t{10} << 30;    ///< of all uploads
  fs::path program = "/proc/self/exe";
  std::chrono::milliseconds patience{10'000};  ///< of a cancelled job, until it is killed
  /// What the program says of a command line before it reads a file: throws Errc::usage where it
  /// would not do it. Called from several threads at once.
  std::function<void(const std::vector<std::string>& arguments)> check_usage;
};

/// A job with how far it is.
struct ShownJob : Job {
  std::optional<JobProgress> progress;  ///< of one that runs
  std::optional<std::uint64_t> before;  ///< how many wait before it
};
BOOST_DESCRIBE_STRUCT(ShownJob, (Job), (progress, before))

/// An event `jobs`: one that is new, in another state or further than before.
struct JobChange {
  std::string id;
  std::optional<JobState> state;  ///< null: it was removed
  std::optional<JobProgress> progress;
  std::optional<std::string> workload;
};
BOOST_DESCRIBE_STRUCT(JobChange, (), (id, state, progress, workload))

/// Begins, follows and ends jobs. One server of a workspace does that; others see what it has
/// written down. Called from several threads at once.
class Jobs {
 public:
  /// All must outlive this. REQUIRES: the store is the disk, the workspace's root is there. Throws
  /// as Roots does.
  Jobs(Store& store, Workspace& workspace, Events& events, JobsOptions options);
  ~Jobs();  ///< jobs that run go on
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Throws Refusal, and Error where it cannot be kept.
  ShownJob submit(const boost::json::object& asked);
  std::vector<ShownJob> list();  ///< the last submitted first
  ShownJob find(std::string_view id);
  /// One that waits is cancelled at once; one that runs is asked to stop, and killed where it does
  /// not.
  ShownJob cancel(std::string_view id);
  /// With all that it made in its own folder. `confirm`: the id once more, where it made something.
  void remove(std::string_view id, std::string_view confirm);
  /// The file that it has made in its own folder. Throws Refusal where there is none.
  fs::path made_file(std::string_view id);
  LogPart log(std::string_view id, std::uint64_t after, bool of_output);

  const Roots& roots() const { return roots_; }
  Uploads& uploads() { return uploads_; }
  const JobsOptions& options() const { return options_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Live {
    Job job;
    JobLog log;
    bool is_child = false;  ///< of this server, which gets to know how it ends
    bool is_damaged = false;
    bool is_unsaved = false;  ///< the disk knows less than this
    std::optional<Clock::time_point> kill_at;
  };

  fs::path folder_of(const std::string& id) const { return folder_ / id; }
  void take_over();
  void load();
  void adopt(Live& live, const std::vector<FoundProcess>& found);
  void run(const std::stop_token& stop);
  void look();
  void follow(Live& live);
  void begin_waiting();
  void begin(Live& live);
  void launch(Live& live);
  void end_unseen(Live& live);
  void end_by_status(Live& live, int status);
  void end_by_code(Live& live, int code);
  void finish(Live& live, JobState state, std::string message);
  void save(Live& live);
  void sweep(const std::string& id) const;
  void tell(const Live& live);
  void check_ours() const;
  void check_usage(const CommandLine& line) const;
  std::string new_id(const boost::json::object& asked) const;
  ShownJob add(Job job);
  Live& live(std::string_view id);
  ShownJob shown(const Live& live) const;
  std::string mark_of(const std::string& id) const;

  Store& store_;
  Workspace& workspace_;
  Events& events_;
  JobsOptions options_;
  Roots roots_;
  fs::path folder_;
  Uploads uploads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<FileLock> lock_;  ///< of the server that begins and follows jobs
  std::map<std::string, Live, std::less<>> jobs_;
  std::uint64_t last_number_ = 0;
  std::jthread thread_;  // the last: it uses the others
};

}  // namespace quantlens::server
