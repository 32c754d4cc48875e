// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"

namespace quantlens::server {

/// In PEM; the certificate may have those of its issuers behind it.
struct Certificate {
  std::string certificate;
  std::string key;
};

using Moment = std::chrono::system_clock::time_point;

/// A certificate signed by itself, on P-256 (made in a millisecond), for localhost, 127.0.0.1, ::1
/// and these names and addresses, for a year. Throws Errc::failed.
Certificate make_certificate(const std::vector<std::string>& names, Moment now);

/// Whether it can be used: key and certificate belong together, it is valid for another week, and
/// names all that make_certificate would put in.
bool is_good_certificate(const Certificate& certificate, const std::vector<std::string>& names,
                         Moment now);

/// The workspace's own one, in one file, so that key and certificate never part: made at the first
/// start and where the one that is there is no longer good. Throws Errc::io, Errc::failed.
Certificate own_certificate(const fs::path& folder, const std::vector<std::string>& names,
                            Moment now);

/// The user's own. Throws Errc::not_found, Errc::io, and Errc::bad_input where the files are not in
/// PEM, do not belong together, or the key has a password.
Certificate read_certificate(const fs::path& certificate, const fs::path& key);

}  // namespace quantlens::server
