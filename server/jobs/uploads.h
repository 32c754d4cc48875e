// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/store.h"
#include "server/part_file.h"
#include "server/request.h"

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
  /// `most`, `most_in_all`: bytes of one, and of all with those that are on their way.
  Uploads(Store& store, const fs::path& workspace, std::uint64_t most, std::uint64_t most_in_all)
      : store_(store), folder_(workspace / "uploads"), most_(most), most_in_all_(most_in_all) {}

  std::vector<Upload> list() const;  ///< by name
  /// Where the bytes of a new one go, and how many there may be; `announced`: how many come, where
  /// that is known. Throws Refusal; Errc::io.
  BodyPlan begin(const std::string& name, std::optional<std::uint64_t> announced);
  /// What has come, in place of one of the same name. All or nothing: what is refused leaves no
  /// trace. Throws Refusal; Errc::io.
  Upload keep(const std::string& name, PartFile& file);
  void remove(const std::string& name);  ///< throws Refusal
  /// What a server that was killed has left behind. REQUIRES: no other server writes here.
  void remove_unfinished();

 private:
  std::uint64_t bytes_beside(const std::string& name, const PartFile* file) const;

  Store& store_;
  fs::path folder_;
  std::uint64_t most_;
  std::uint64_t most_in_all_;
  std::mutex mutex_;
};

}  // namespace quantlens::server
