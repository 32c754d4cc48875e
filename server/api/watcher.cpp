// SPDX-License-Identifier: Apache-2.0
#include "server/api/watcher.h"

#include <array>
#include <chrono>
#include <exception>
#include <set>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "quantlens/base/json.h"
#include "server/api/answer.h"

namespace quantlens::server {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTogether(200);    // changes that come close are told at once
constexpr milliseconds kPolling(700);     // with the pause, within a second
constexpr milliseconds kWithNotes(5000);  // what no note tells, as a disk of another machine
constexpr std::size_t kMostFolders = 64;  // of runs under way
constexpr std::uint32_t kOfFolders = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
constexpr std::uint32_t kOfFiles = kOfFolders | IN_MODIFY | IN_CLOSE;

}  // namespace

/// What the system says of folders, and the word to stop.
class Watcher::Notes {
 public:
  explicit Notes(const fs::path& root)
      : root_(root),
        stop_(::eventfd(0, EFD_CLOEXEC)),
        notes_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    watch_parents();
  }
  ~Notes() {
    for (const int fd : {stop_, notes_}) {
      if (fd >= 0) ::close(fd);
    }
  }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;

  void stop() const {
    const std::uint64_t one = 1;
    if (::write(stop_, &one, sizeof one) < 0) return;  // then it ends a moment later
  }

  /// Until something may have changed, or it is time to look all the same.
  void wait() {
    std::array<pollfd, 2> both{{{stop_, POLLIN, 0}, {notes_, POLLIN, 0}}};
    const milliseconds most = is_watched_ ? kWithNotes : kPolling;
    ::poll(both.data(), notes_ >= 0 ? 2 : 1, static_cast<int>(most.count()));
  }
  void pause(milliseconds time) const {
    pollfd stop{stop_, POLLIN, 0};
    ::poll(&stop, 1, static_cast<int>(time.count()));
  }
  void forget_told() {
    constexpr std::size_t kBytes = 16384;
    alignas(inotify_event) std::array<char, kBytes> bytes{};
    while (notes_ >= 0 && ::read(notes_, bytes.data(), bytes.size()) > 0) {
    }
  }
  /// These alone; runs that ended are watched no longer. True where one is watched from now on, in
  /// which something may have changed between the last look and now.
  bool watch(const std::set<fs::path>& folders) {
    if (notes_ < 0) return false;
    bool is_new = watch_parents();
    std::erase_if(watched_, [&](const auto& one) {
      if (folders.contains(one.first)) return false;
      ::inotify_rm_watch(notes_, one.second);
      return true;
    });
    for (const fs::path& folder : folders) {
      if (watched_.size() >= kMostFolders) break;
      if (watched_.contains(folder)) continue;
      const int watch = ::inotify_add_watch(notes_, folder.c_str(), kOfFiles);
      if (watch >= 0) watched_.emplace(folder, watch);
      is_new = is_new || watch >= 0;
    }
    return is_new;
  }

 private:
  /// True where workloads/ is watched from now on.
  bool watch_parents() {
    if (notes_ < 0) return false;
    ::inotify_add_watch(notes_, root_.c_str(), kOfFolders);  // where workloads/ comes to be
    const bool was_watched = std::exchange(
        is_watched_, ::inotify_add_watch(notes_, (root_ / "workloads").c_str(), kOfFolders) >= 0);
    return is_watched_ && !was_watched;
  }

  fs::path root_;
  int stop_, notes_;
  bool is_watched_ = false;
  std::map<fs::path, int> watched_;
};

Watcher::Watcher(const fs::path& root, Runs& runs, Events& events)
    : root_(root), runs_(runs), events_(events), notes_(std::make_unique<Notes>(root)) {
  try_to_look();  // what changes from now on is told
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Watcher::~Watcher() {
  thread_.request_stop();
  notes_->stop();
}

void Watcher::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    notes_->wait();
    if (!stop.stop_requested()) notes_->pause(kTogether);
    notes_->forget_told();
    try_to_look();
  }
}

void Watcher::try_to_look() noexcept {
  try {
    if (look()) look();
  } catch (const std::exception&) {
    // A workspace that cannot be read now is looked at again; requests say what is wrong.
  }
}

bool Watcher::look() {
  std::map<std::string, std::string> now;
  std::set<fs::path> under_way;
  for (const Runs::One& run : runs_.all()) {
    const RunSummary& summary = run->summary;
    now.emplace(summary.id, run->state);
    if (summary.state == WorkloadState::new_ || summary.state == WorkloadState::wip)
      under_way.insert(run->folder);
    const auto before = known_.find(summary.id);
    const bool is_known = before != known_.end() && before->second == run->state;
    if (is_known || !has_looked_) continue;
    events_.publish("workloads",
                    compact(json::encode(RunChange{summary.id, summary.state, summary.progress})));
  }
  for (const auto& [id, state] : known_) {
    if (has_looked_ && !now.contains(id))
      events_.publish("workloads", compact(json::encode(RunChange{id, {}, {}})));
  }
  known_ = std::move(now);
  has_looked_ = true;
  return notes_->watch(under_way);
}

}  // namespace quantlens::server
