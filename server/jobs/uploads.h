// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/store.h"

namespace quantlens::server {

/// A file that a client has sent.
struct Upload {
  std::string name;
  std::string path;  ///< as a job takes it
  std::uint64_t bytes = 0;
  std::string modified;  ///< UTC, RFC 3339
};
BOOST_DESCRIBE_STRUCT(Upload, (), (name, path, bytes, modified))

/// What clients have sent, in uploads/ of the workspace. Called from several threads at once.
class Uploads {
 public:
  /// `most_in_all`: bytes that all of them may take.
  Uploads(Store& store, const fs::path& workspace, std::uint64_t most_in_all)
      : store_(store), folder_(workspace / "uploads"), most_in_all_(most_in_all) {}

  std::vector<Upload> list() const;  ///< by name
  /// In place of one of the same name. All or nothing: what is refused leaves no trace. Throws
  /// Refusal; Errc::io.
  Upload put(const std::string& name, std::string_view bytes);
  void remove(const std::string& name);  ///< throws Refusal
  /// What a server that was killed has left behind. REQUIRES: no other server writes here.
  void remove_unfinished();

 private:
  Store& store_;
  fs::path folder_;
  std::uint64_t most_in_all_;
  std::mutex mutex_;
};

}  // namespace quantlens::server
