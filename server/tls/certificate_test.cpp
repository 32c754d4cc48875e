// SPDX-License-Identifier: Apache-2.0
#include "server/tls/certificate.h"

#include <fstream>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/workspace/testing/temporary_folder.h"
#include "server/tls/context.h"

namespace quantlens::server {
namespace {

using std::chrono::hours;

const Moment kNow = std::chrono::system_clock::now();

Certificate own(const TemporaryFolder& folder, Moment now = kNow,
                const std::vector<std::string>& names = {}) {
  return own_certificate(folder.path(), names, now);
}

TEST(Certificate, IsForThisMachineAndForAYear) {
  const Certificate made = make_certificate({"10.1.2.3", "fe80::1", "build.example.org"}, kNow);
  EXPECT_TRUE(is_good_certificate(made, {"10.1.2.3", "fe80::1", "build.example.org"}, kNow));
  EXPECT_FALSE(is_good_certificate(made, {"10.1.2.4"}, kNow));
  EXPECT_FALSE(is_good_certificate(made, {"example.org"}, kNow));
  EXPECT_TRUE(is_good_certificate(made, {}, kNow + hours(24 * 350)));
  EXPECT_FALSE(is_good_certificate(made, {}, kNow + hours(24 * 360)));
  EXPECT_FALSE(is_good_certificate(made, {}, kNow - hours(24 * 2)));
  EXPECT_NO_THROW(make_tls(made));
}

TEST(Certificate, IsKeptFromStartToStart) {
  const TemporaryFolder folder;
  const std::string first = own(folder).certificate;
  EXPECT_EQ(own(folder).certificate, first);
}

TEST(Certificate, IsRenewedWhereItIsNoLongerGood) {
  const TemporaryFolder folder;
  const std::string first = own(folder).certificate;
  const std::string later = own(folder, kNow + hours(24 * 364)).certificate;
  EXPECT_NE(later, first);
  EXPECT_NE(own(folder, kNow + hours(24 * 364), {"10.1.2.3"}).certificate, later);
}

TEST(Certificate, IsRenewedWhereItsFileIsDamagedOrOpenToOthers) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "certificate.pem";
  const std::string first = own(folder).certificate;
  std::ofstream(path) << "-----BEGIN CERTIFICATE-----\nabc";
  const std::string second = own(folder).certificate;
  EXPECT_TRUE(is_good_certificate(own(folder), {}, kNow));
  fs::permissions(path, fs::perms::others_read, fs::perm_options::add);
  EXPECT_NE(own(folder).certificate, second);
}

TEST(Certificate, OfTheUserIsChecked) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder.path() / name) << text;
    return folder.path() / name;
  };
  const Certificate one = make_certificate({}, kNow), two = make_certificate({}, kNow);
  const fs::path certificate = write("a.crt", one.certificate), key = write("a.key", one.key);
  EXPECT_NO_THROW(make_tls(read_certificate(certificate, key)));
  const auto fails = [&](const fs::path& first, const fs::path& second, const char* words) {
    try {
      (void)read_certificate(first, second);
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  fails(certificate, write("b.key", two.key), "does not belong to the certificate");
  fails(key, key, "is no certificate in PEM");
  fails(certificate, certificate, "is no private key in PEM");
  fails(folder.path() / "none", key, "no such file");
}

}  // namespace
}  // namespace quantlens::server
