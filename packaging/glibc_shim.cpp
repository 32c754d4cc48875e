// SPDX-License-Identifier: Apache-2.0
// What the compiler's own library asks of a C library later than the one the wheel runs with.
#include <cstdint>
#include <cstdlib>

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

}  // extern "C"
