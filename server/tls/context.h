// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <boost/asio/ssl/context.hpp>

#include "server/tls/certificate.h"

namespace quantlens::server {

/// TLS 1.2 and newer with forward secrecy, no renegotiation, no compression, buffers given back
/// while a connection is idle. Throws Errc::bad_input where OpenSSL refuses the certificate.
std::unique_ptr<boost::asio::ssl::context> make_tls(const Certificate& certificate);

}  // namespace quantlens::server
