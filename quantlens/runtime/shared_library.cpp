// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/shared_library.h"

#include <dlfcn.h>

namespace quantlens {

std::string file_of(void* symbol, const fs::path& otherwise) {
  Dl_info info{};
  if (dladdr(symbol, &info) != 0 && info.dli_fname != nullptr) return info.dli_fname;
  return otherwise.string();
}

}  // namespace quantlens
