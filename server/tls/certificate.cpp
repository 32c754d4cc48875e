// SPDX-License-Identifier: Apache-2.0
#include "server/tls/certificate.h"

#include <algorithm>
#include <array>
#include <memory>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "server/private_file.h"

namespace quantlens::server {
namespace {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using X509Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;

constexpr const char* kFileName = "certificate.pem";
constexpr long kDay = 24L * 60 * 60;
constexpr long kValid = 365 * kDay;
constexpr long kRenewedBefore = 7 * kDay;
constexpr std::size_t kMostNames = 100;

void require(bool holds) {
  if (!holds) {
    throw Error(Errc::failed,
                "no certificate can be made; give one with --cert and --key, or check OpenSSL");
  }
}

bool is_address(const std::string& name) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

std::vector<std::string> all_names(const std::vector<std::string>& more) {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  for (const std::string& name : more) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

Bio reader(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

/// A key with a password is refused: nobody is there to type it.
int no_password(char*, int, int, void*) {
  return -1;
}

Key key_of(std::string_view pem) {
  return Key(PEM_read_bio_PrivateKey(reader(pem).get(), nullptr, no_password, nullptr));
}

X509Certificate certificate_of(std::string_view pem) {
  return X509Certificate(PEM_read_bio_X509(reader(pem).get(), nullptr, no_password, nullptr));
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  require(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

void set_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  require(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
  bytes[0] &= 0x7f;  // positive
  const std::unique_ptr<BIGNUM, Free<BN_free>> number(
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  require(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)));
}

X509Certificate sign(EVP_PKEY* key, const std::vector<std::string>& names, Moment now) {
  X509Certificate certificate(X509_new());
  require(certificate && X509_set_version(certificate.get(), 2) == 1);
  set_serial(certificate.get());
  time_t seconds = std::chrono::system_clock::to_time_t(now);
  require(X509_time_adj(X509_getm_notBefore(certificate.get()), -kDay, &seconds) &&
          X509_time_adj(X509_getm_notAfter(certificate.get()), kValid, &seconds));
  require(X509_set_pubkey(certificate.get(), key) == 1);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  const auto* shown = reinterpret_cast<const unsigned char*>("quantlens on this machine");
  require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, shown, -1, -1, 0) == 1 &&
          X509_set_issuer_name(certificate.get(), name) == 1);
  std::vector<std::string> listed;
  listed.reserve(names.size());
  for (const std::string& each : names)
    listed.push_back(fmt::format("{}:{}", is_address(each) ? "IP" : "DNS", each));
  add_extension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(certificate.get(), NID_ext_key_usage, "serverAuth");
  add_extension(certificate.get(), NID_subject_alt_name, fmt::format("{}", fmt::join(listed, ",")));
  require(X509_sign(certificate.get(), key, EVP_sha256()) > 0);
  return certificate;
}

bool names_all(X509* certificate, const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    return is_address(name)
               ? X509_check_ip_asc(certificate, name.c_str(), 0) == 1
               : X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1;
  });
}

bool is_valid_at(X509* certificate, Moment begin, Moment end) {
  time_t first = std::chrono::system_clock::to_time_t(begin);
  time_t last = std::chrono::system_clock::to_time_t(end);
  return X509_cmp_time(X509_get0_notBefore(certificate), &first) < 0 &&
         X509_cmp_time(X509_get0_notAfter(certificate), &last) > 0;
}

[[noreturn]] void refuse_file(const fs::path& path, std::string_view what) {
  throw Error(Errc::bad_input, fmt::format("{}: {}", printable(path.string()), what));
}

}  // namespace

Certificate make_certificate(const std::vector<std::string>& names, Moment now) {
  if (names.size() > kMostNames)
    throw Error(Errc::usage,
                fmt::format("at most {} names of this server; give fewer", kMostNames));
  const Key key(EVP_EC_gen("P-256"));
  require(key != nullptr);
  const X509Certificate certificate = sign(key.get(), all_names(names), now);
  const Bio certificate_text(BIO_new(BIO_s_mem())), key_text(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1 &&
          PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                   nullptr) == 1);
  return {.certificate = text_of(certificate_text.get()), .key = text_of(key_text.get())};
}

bool is_good_certificate(const Certificate& certificate, const std::vector<std::string>& names,
                         Moment now) {
  const X509Certificate parsed = certificate_of(certificate.certificate);
  const Key key = key_of(certificate.key);
  return parsed && key && X509_check_private_key(parsed.get(), key.get()) == 1 &&
         is_valid_at(parsed.get(), now, now + std::chrono::seconds(kRenewedBefore)) &&
         names_all(parsed.get(), all_names(names));
}

Certificate own_certificate(const fs::path& folder, const std::vector<std::string>& names,
                            Moment now) {
  const fs::path path = folder / kFileName;
  if (const auto kept = read_private(path)) {
    Certificate certificate{.certificate = *kept, .key = *kept};
    if (is_good_certificate(certificate, names, now)) return certificate;
  }
  const Certificate made = make_certificate(names, now);
  const std::string both = made.certificate + made.key;
  write_private(path, both);
  return {.certificate = both, .key = both};
}

Certificate read_certificate(const fs::path& certificate, const fs::path& key) {
  const DiskStore store;
  Certificate read{.certificate = std::string(store.read(certificate).text()),
                   .key = std::string(store.read(key).text())};
  const X509Certificate parsed = certificate_of(read.certificate);
  if (!parsed) refuse_file(certificate, "is no certificate in PEM; give --cert another file");
  const Key parsed_key = key_of(read.key);
  if (!parsed_key) {
    refuse_file(key,
                "is no private key in PEM, or has a password; give --key one that can be read");
  }
  if (X509_check_private_key(parsed.get(), parsed_key.get()) != 1) {
    refuse_file(key,
                fmt::format("does not belong to the certificate {}; give --cert and --key of one "
                            "pair",
                            printable(certificate.string())));
  }
  return read;
}

}  // namespace quantlens::server
