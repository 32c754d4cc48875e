// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "server/request.h"

namespace quantlens::server {

/// A file inside the program. What was not compressed when it was built is empty.
struct Asset {
  std::string_view path;  ///< "index.html"
  std::string_view plain, gzip, brotli;
  bool is_for_reports = false;  ///< a part of one-file reports, which is not served
};

/// Files by their path, in the smallest form that a client takes. Called from several threads at
/// once.
class Assets {
 public:
  /// `index`: the one that "/" is. Copies the bytes, which answers then share.
  Assets(const std::vector<Asset>& assets, std::string_view index);

  Response answer(const Request& request) const;

 private:
  struct Form {
    std::string_view coding;  ///< as Accept-Encoding names it; empty: as it is
    std::shared_ptr<const std::string> bytes;
    std::string tag;  ///< a strong ETag, of this form alone
  };
  struct File {
    std::string type;
    bool never_changes = false;
    std::vector<Form> forms;  ///< smallest first, the plain one last
  };
  const Form& chosen(const File& file, const Request& request) const;

  std::map<std::string, File, std::less<>> files_;
};

/// Those of this program: made by CMake from assets/files.
std::vector<Asset> built_in_assets();

/// Whether an Accept-Encoding names the coding, or all, with a weight above 0.
bool accepts_coding(std::string_view accepted, std::string_view coding);

}  // namespace quantlens::server
