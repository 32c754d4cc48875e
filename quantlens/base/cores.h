// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace quantlens {

/// Cores this process may keep busy: its CPU affinity, cut by the control group's quota; at
/// least 1.
unsigned available_cores();

/// The program's one budget of cores: whatever wants threads is handed this, or takes its `count`.
class Cores {
 public:
  /// 0 counts as 1. Throws Errc::failed where the system gives no more threads.
  explicit Cores(unsigned count = available_cores());
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;
  ~Cores();  ///< waits for all posted tasks

  unsigned count() const { return count_; }

  /// Calls body(0) to body(n - 1), on at most `count` threads of which the caller is one, and
  /// returns when all are done; bodies may call it again. After an exception no further body is
  /// begun, and the exception of the least index is thrown here.
  void parallel_for(std::size_t n, const std::function<void(std::size_t)>& body);

  /// Runs the task on a worker some time later. REQUIRES: it does not throw.
  void post(std::function<void()> task);

 private:
  void join();

  unsigned count_;
  boost::asio::io_context tasks_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> open_;
  std::vector<std::thread> threads_;
};

/// Calls take(i, make(i)) for 0 to n - 1 in order on the caller's thread; all cores make
/// `at_once` results at a time, so that no more are held. Throws as parallel_for and `take`.
template <class Make, class Take>
void make_in_order(Cores& cores, std::size_t n, std::size_t at_once, Make&& make, Take&& take) {
  std::vector<decltype(make(n))> made(std::min(at_once, n));
  for (std::size_t first = 0; first < n; first += at_once) {
    const std::size_t count = std::min(at_once, n - first);
    cores.parallel_for(count, [&](std::size_t i) { made[i] = make(first + i); });
    for (std::size_t i = 0; i < count; ++i) take(first + i, made[i]);
  }
}

namespace detail {

/// The quota in whole cores, rounded up, that files of control groups below `root` ("/") set for
/// this process; 0 where there is none.
unsigned quota_cores(const std::filesystem::path& root);

}  // namespace detail
}  // namespace quantlens
