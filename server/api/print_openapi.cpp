// SPDX-License-Identifier: Apache-2.0
// Prints the OpenAPI document, of which ui/ makes its types.
#include <cstdio>

#include "quantlens/base/json.h"
#include "server/api/openapi.h"
#include "server/compact.h"

int main() {
  const std::string text = quantlens::server::compact(quantlens::server::openapi());
  return std::puts(text.c_str()) >= 0 ? 0 : 1;
}
