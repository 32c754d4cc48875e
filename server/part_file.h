// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quantlens/base/file_descriptor.h"
#include "quantlens/base/store.h"

namespace quantlens::server {

/// Errc::io with the system's reason (errno) why the file cannot be read, or written: `verb`.
[[noreturn]] void fail_on(const fs::path& path, std::string_view verb);

/// A file that has another name until all of it is there, readable by its owner alone from the
/// first byte on. Without `place`, nothing is left of it.
class PartFile {
 public:
  /// Opens a new file beside `path`. Throws Errc::io, as the others do.
  explicit PartFile(const fs::path& path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  void write(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  /// Where the bytes are until it is placed.
  const std::string& name() const { return name_; }
  void sync();
  /// Under its own name, in place of what has it; a symbolic link is replaced, not followed.
  /// REQUIRES: not yet placed.
  void place();

 private:
  fs::path path_;
  std::string name_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  bool is_placed_ = false;
};

}  // namespace quantlens::server
