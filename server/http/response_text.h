// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "server/request.h"

namespace quantlens::server {

struct HeadOptions {
  bool keep_alive = false;
  bool is_api = false;  ///< then nothing may be stored, unless the answer says otherwise
  std::chrono::system_clock::time_point now;
};

/// The head of an answer, up to and with its empty line: status, what every answer must have (its
/// length, the security headers), and the headers of its own, on one line each whatever is in them.
std::string head_text(const Response& response, const HeadOptions& options);

}  // namespace quantlens::server
