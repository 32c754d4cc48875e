// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/error.h"

namespace quantlens {

int exit_code(Errc code) {
  switch (code) {
    case Errc::usage:
      return 2;
    case Errc::interrupted:
      return 130;
    case Errc::failed:
    case Errc::bad_input:
    case Errc::not_found:
    case Errc::unsupported:
    case Errc::io:
      break;
  }
  return 1;
}

}  // namespace quantlens
