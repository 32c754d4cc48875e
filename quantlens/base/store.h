// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quantlens {

namespace fs = std::filesystem;

using Bytes = std::span<const std::byte>;

/// A file's bytes mapped read-only into memory; they stay valid as long as one copy of this lives,
/// even if the file is replaced (a rename over it leaves the old bytes mapped).
class MappedFile {
 public:
  MappedFile() = default;  ///< empty, maps nothing
  /// Throws Errc::not_found or Errc::io (also for folders and other things that are no regular
  /// file).
  static MappedFile open(const fs::path& path);
  /// The same face over bytes in memory (tests, generated models).
  static MappedFile from_bytes(std::string bytes);
  Bytes bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  /// Keeps the bytes alive; shared by every view into them.
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::shared_ptr<const void> owner_;
  Bytes bytes_;
};

/// Receives a file's bytes in order. Nothing is visible under the final name before `commit`.
class FileWriter {
 public:
  virtual ~FileWriter() = default;  ///< without `commit`, the unfinished file is removed
  virtual void write(Bytes bytes) = 0;
  /// Flushes to disk and renames to the final name. REQUIRES: not yet committed.
  virtual void commit() = 0;
};

/// Where records are written: the disk, or memory in tests. Failures throw Errc::io with the path
/// and the system's reason.
class Store {
 public:
  virtual ~Store() = default;
  /// Throws Errc::not_found where there is none.
  virtual MappedFile read(const fs::path& path) const = 0;
  virtual std::unique_ptr<FileWriter> create(const fs::path& path) = 0;
  /// Adds to the end of a log, which is made where it is absent. Not synced: a crash may tear its
  /// last line.
  virtual void append(const fs::path& path, std::string_view text) = 0;
  /// Names of a folder's entries, sorted; empty where the folder is absent.
  virtual std::vector<std::string> list(const fs::path& folder) const = 0;
  virtual void make_folder(const fs::path& folder) = 0;  ///< and its parents
  virtual void remove(const fs::path& path) = 0;  ///< a file or a whole folder; absent is fine
};

/// The machine's file system. Files are written as `<path>.part<pid>`, synced, renamed; the folder
/// is synced too.
class DiskStore final : public Store {
 public:
  MappedFile read(const fs::path& path) const override;
  std::unique_ptr<FileWriter> create(const fs::path& path) override;
  void append(const fs::path& path, std::string_view text) override;
  std::vector<std::string> list(const fs::path& folder) const override;
  void make_folder(const fs::path& folder) override;
  void remove(const fs::path& path) override;
};

/// Writes all or nothing: after a failure the old file, if any, is still there.
void write_atomic(Store& store, const fs::path& path, std::string_view bytes);

}  // namespace quantlens
