// SPDX-License-Identifier: Apache-2.0
#include "server/gate/failures.h"

#include <algorithm>
#include <cmath>

namespace quantlens::server {

double Failures::used(const Bucket& bucket, const Rate& rate, Time now) {
  const double seconds = std::chrono::duration<double>(now - bucket.since).count();
  return std::max(0.0, bucket.used - seconds * rate.per_second);
}

std::optional<std::chrono::seconds> Failures::add(Bucket& bucket, const Rate& rate, Time now) {
  const double before = used(bucket, rate, now);
  bucket.since = now;
  if (before + 1 > rate.burst) {  // guesses that were not looked at do not make the wait longer
    bucket.used = before;
    const double wait = (before + 1 - rate.burst) / rate.per_second;
    return std::chrono::seconds(static_cast<long>(std::ceil(wait)));
  }
  bucket.used = before + 1;
  return std::nullopt;
}

void Failures::make_room(Time now) {
  if (addresses_.size() < kMostAddresses) return;
  std::erase_if(addresses_, [&](const auto& one) { return used(one.second, rate_, now) <= 0; });
  if (addresses_.size() < kMostAddresses) return;
  addresses_.erase(
      std::ranges::min_element(addresses_, {}, [](const auto& one) { return one.second.since; }));
}

std::optional<std::chrono::seconds> Failures::count(const std::string& address, Time now) {
  const std::lock_guard lock(mutex_);
  auto found = addresses_.find(address);
  if (found == addresses_.end()) {
    make_room(now);
    found = addresses_.emplace(address, Bucket{.used = 0, .since = now}).first;
  }
  const auto one = add(found->second, rate_, now);
  return one ? one : add(all_, all_rate_, now);
}

}  // namespace quantlens::server
