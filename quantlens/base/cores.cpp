// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/cores.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <sched.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

namespace fs = std::filesystem;

/// Threads take indices from one counter, lowest first, so every index below one that failed has
/// been taken and will be finished: the least failure is the same for any number of threads.
class Loop {
 public:
  Loop(std::size_t n, const std::function<void(std::size_t)>& body) : n_(n), body_(body) {}

  /// Takes indices until none is left. A helper that comes late finds none and leaves `body_`,
  /// which may be gone by then, alone.
  void help() {
    {
      const std::lock_guard lock(mutex_);
      ++helping_;
    }
    for (std::size_t i = next_++; i < n_; i = next_++) run(i);
    const std::lock_guard lock(mutex_);
    if (--helping_ == 0) idle_.notify_all();
  }

  void finish() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return helping_ == 0; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void run(std::size_t i) {
    try {
      body_(i);
    } catch (...) {
      next_ = n_;
      const std::lock_guard lock(mutex_);
      if (i >= failed_index_) return;
      failed_index_ = i;
      failure_ = std::current_exception();
    }
  }

  const std::size_t n_;
  const std::function<void(std::size_t)>& body_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable idle_;
  unsigned helping_ = 0;
  std::size_t failed_index_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure_;
};

unsigned affinity_cores() {
  constexpr int kMostCpus = 1 << 16;
  for (int cpus = 1024; cpus <= kMostCpus; cpus *= 2) {  // the kernel refuses too small a set
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(cpus), [](cpu_set_t* allocated) { CPU_FREE(allocated); });
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    if (set && sched_getaffinity(0, bytes, set.get()) == 0) {
      return static_cast<unsigned>(CPU_COUNT_S(bytes, set.get()));
    }
  }
  return std::thread::hardware_concurrency();
}

/// Whole cores for quota / period microseconds; 0 (no limit) where one is not a positive number.
unsigned whole_cores(std::int64_t quota, std::int64_t period) {
  constexpr std::int64_t kMost = 1 << 16;
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<unsigned>(std::min(kMost, (quota - 1) / period + 1));
}

unsigned read_quota(const fs::path& folder) {
  std::int64_t quota = 0;
  std::int64_t period = 0;
  std::ifstream version2(folder / "cpu.max");  // "max 100000" or "150000 100000"
  if (version2 >> quota >> period) return whole_cores(quota, period);
  std::ifstream quota_file(folder / "cpu.cfs_quota_us");
  std::ifstream period_file(folder / "cpu.cfs_period_us");
  if (quota_file >> quota && period_file >> period) return whole_cores(quota, period);
  return 0;
}

/// The least quota of a group and the groups around it, up to the mount.
unsigned least_quota(const fs::path& mount, const fs::path& group) {
  unsigned least = 0;
  fs::path folder = mount;
  const auto consider = [&] {
    const unsigned cores = read_quota(folder);
    if (cores != 0) least = least == 0 ? cores : std::min(least, cores);
  };
  consider();
  for (const fs::path& part : group.relative_path()) {
    if (part == "..") break;  // a group outside this container
    folder /= part;
    consider();
  }
  return least;
}

}  // namespace

namespace detail {

unsigned quota_cores(const fs::path& root) {
  unsigned least = 0;
  std::ifstream groups(root / "proc/self/cgroup");  // lines "0::/path" or "4:cpu,cpuacct:/path"
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && ("," + controllers + ",").find(",cpu,") == std::string::npos) {
      continue;
    }
    const fs::path base = root / "sys/fs/cgroup";
    const unsigned cores =
        least_quota(controllers.empty() ? base : base / controllers, line.substr(second + 1));
    if (cores != 0) least = least == 0 ? cores : std::min(least, cores);
  }
  return least;
}

}  // namespace detail

unsigned available_cores() {
  const unsigned affinity = std::max(1U, affinity_cores());
  const unsigned quota = detail::quota_cores("/");
  return quota == 0 ? affinity : std::min(affinity, quota);
}

Cores::Cores(unsigned count)
    : count_(std::max(1U, count)), open_(boost::asio::make_work_guard(tasks_)) {
  try {
    threads_.reserve(count_);
    for (unsigned i = 0; i < count_; ++i) threads_.emplace_back([this] { tasks_.run(); });
  } catch (const std::system_error& error) {
    join();  // a pool of asio would wait for ever
    throw Error(Errc::failed,
                fmt::format("cannot start {} threads: {}; use fewer --threads, or raise the limits "
                            "of processes and memory (ulimit -u, ulimit -v)",
                            count_, error.code().message()));
  }
}

Cores::~Cores() {
  join();
}

void Cores::join() {
  open_.reset();
  for (std::thread& thread : threads_) thread.join();
}

void Cores::parallel_for(std::size_t n, const std::function<void(std::size_t)>& body) {
  if (n == 0) return;
  const auto loop = std::make_shared<Loop>(n, body);
  const std::size_t helpers = std::min<std::size_t>(n, count_) - 1;
  for (std::size_t i = 0; i < helpers; ++i) {
    boost::asio::post(tasks_, [loop] { loop->help(); });
  }
  loop->help();
  loop->finish();
}

void Cores::post(std::function<void()> task) {
  boost::asio::post(tasks_, std::move(task));
}

}  // namespace quantlens
