// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/counted.h"

#include <fmt/format.h>

namespace quantlens {

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace quantlens
