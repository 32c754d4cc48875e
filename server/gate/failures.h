// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace quantlens::server {

/// How many wrong tokens are answered: a handful at once, then few a minute, of one address and of
/// all together. Right tokens are not counted, so nobody is locked out by another's guesses.
/// Called from any thread.
class Failures {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Rate {
    double burst = 10;
    double per_second = 0.2;
  };

  Failures() = default;
  Failures(Rate per_address, Rate of_all) : rate_(per_address), all_rate_(of_all) {}

  /// Counts a wrong token. Seconds to wait where there were too many, else nothing.
  std::optional<std::chrono::seconds> count(const std::string& address, Time now);

 private:
  static constexpr std::size_t kMostAddresses = 1024;
  struct Bucket {
    double used = 0;
    Time since;
  };
  static double used(const Bucket& bucket, const Rate& rate, Time now);
  static std::optional<std::chrono::seconds> add(Bucket& bucket, const Rate& rate, Time now);
  void make_room(Time now);

  Rate rate_;
  Rate all_rate_{.burst = 100, .per_second = 2};
  std::mutex mutex_;
  std::map<std::string, Bucket> addresses_;
  Bucket all_;
};

}  // namespace quantlens::server
