// SPDX-License-Identifier: Apache-2.0
#include "server/tls/context.h"

#include <boost/asio/buffer.hpp>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "quantlens/base/error.h"

namespace quantlens::server {

namespace ssl = boost::asio::ssl;

std::unique_ptr<ssl::context> make_tls(const Certificate& certificate) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  SSL_CTX* of = context->native_handle();
  SSL_CTX_set_min_proto_version(of, TLS1_2_VERSION);
  SSL_CTX_set_mode(of, SSL_MODE_RELEASE_BUFFERS);  // 34 kB less for an idle connection
  SSL_CTX_set_options(
      of, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_cipher_list(of, "ECDHE+AESGCM:ECDHE+CHACHA20");  // of TLS 1.2; 1.3 has no others
  SSL_CTX_set_session_cache_mode(of, SSL_SESS_CACHE_OFF);  // tickets hold sessions, not our memory
  SSL_CTX_set_num_tickets(of, 1);
  boost::system::error_code error;
  context->use_certificate_chain(boost::asio::buffer(certificate.certificate), error);
  if (!error) {
    context->use_private_key(boost::asio::buffer(certificate.key), ssl::context::pem, error);
  }
  if (error) {
    throw Error(Errc::bad_input,
                fmt::format("the certificate cannot be used: {}; give another pair with --cert and "
                            "--key",
                            error.message()));
  }
  return context;
}

}  // namespace quantlens::server
