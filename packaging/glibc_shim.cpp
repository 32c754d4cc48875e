// SPDX-License-Identifier: Apache-2.0
// What the compiler's standard library asks of a C library later than the one that the wheel runs
// with.
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <pthread.h>
#include <time.h>
#include <unistd.h>

extern "C" {

/// Since 2.32: whether locks may be left out. Not, as far as is known.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

/// Since 2.36, for std::random_device.
__attribute__((visibility("hidden"))) std::uint32_t arc4random() {
  std::uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) std::abort();
  return number;
}

/// Since 2.30: waits until `clock` shows `until`. In steps of a second at most, since the system's
/// clock, by which the older function waits, may be set anew meanwhile; the end of a step is told
/// as a wakeup without a cause, which callers expect.
__attribute__((visibility("hidden"))) int pthread_cond_clockwait(pthread_cond_t* condition,
                                                                 pthread_mutex_t* mutex,
                                                                 clockid_t clock,
                                                                 const timespec* until) {
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
  constexpr std::int64_t second = 1'000'000'000;
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return EINVAL;
  if (until->tv_sec < now.tv_sec) return ETIMEDOUT;
  const bool is_step = until->tv_sec - now.tv_sec > 1;
  const std::int64_t left =
      is_step ? second : (until->tv_sec - now.tv_sec) * second + until->tv_nsec - now.tv_nsec;
  if (left <= 0) return ETIMEDOUT;
  clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t nanoseconds = now.tv_nsec + left;
  const timespec end{now.tv_sec + nanoseconds / second, nanoseconds % second};
  const int result = pthread_cond_timedwait(condition, mutex, &end);
  return result == ETIMEDOUT && is_step ? 0 : result;
}

}  // extern "C"
