// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/lost_pages.h"

#include <atomic>
#include <cerrno>
#include <csignal>

#include <sys/mman.h>
#include <unistd.h>

namespace quantlens {
namespace {

std::atomic<std::uint64_t> g_lost = 0;  // a signal handler can reach nothing else
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
std::uintptr_t g_page = 0;

/// Only system calls, and those do not wait. What it cannot mend ends the process as before.
void put_zeros(int signal, siginfo_t* what, void*) {
  const int before = errno;
  const std::uintptr_t in_page = reinterpret_cast<std::uintptr_t>(what->si_addr) % g_page;
  char* page = static_cast<char*>(what->si_addr) - in_page;
  const bool is_lost =
      what->si_code == BUS_ADRERR &&
      ::mmap(page, g_page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  if (is_lost) {
    ++g_lost;
  } else {
    std::signal(signal, SIG_DFL);
  }
  errno = before;
}

}  // namespace

void survive_lost_pages() {
  g_page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = put_zeros;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(SIGBUS, &action, nullptr);
}

std::uint64_t lost_pages() {
  return g_lost;
}

}  // namespace quantlens
