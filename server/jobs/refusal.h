// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace quantlens::server {

/// What is asked for is understood and not done; the client gets this status and sentence.
class Refusal : public std::runtime_error {
 public:
  Refusal(unsigned status, const std::string& sentence)
      : std::runtime_error(sentence), status_(status) {}
  unsigned status() const { return status_; }

 private:
  unsigned status_;
};

inline constexpr unsigned kWrongRequest = 400;
inline constexpr unsigned kForbidden = 403;
inline constexpr unsigned kNotThere = 404;
inline constexpr unsigned kConflict = 409;
inline constexpr unsigned kTooLarge = 413;
inline constexpr unsigned kWrongType = 415;
inline constexpr unsigned kNoRoom = 507;

}  // namespace quantlens::server
