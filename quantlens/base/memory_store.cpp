// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/memory_store.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

std::string key_of(const fs::path& path) {
  return path.lexically_normal().string();
}

/// What the keys of everything inside a folder begin with; empty for the current folder.
std::string prefix_of(const fs::path& folder) {
  std::string key = key_of(folder);
  if (key.empty() || key == ".") return "";
  if (key.back() != '/') key += '/';
  return key;
}

}  // namespace

class MemoryWriter final : public FileWriter {
 public:
  MemoryWriter(MemoryStore& store, std::string key) : store_(store), key_(std::move(key)) {}

  void write(Bytes bytes) override {
    step();
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  void commit() override {
    step();
    store_.files_[key_] = std::move(bytes_);
  }

 private:
  void step() {
    if (store_.operations_until_failure_ < 0) return;
    if (store_.operations_until_failure_-- == 0) {
      throw Error(Errc::io,
                  fmt::format("{}: cannot write: No space left on device; free some space "
                              "or choose another folder with --workspace",
                              key_));
    }
  }

  MemoryStore& store_;
  std::string key_;
  std::string bytes_;
};

MappedFile MemoryStore::read(const fs::path& path) const {
  const auto found = files_.find(key_of(path));
  if (found == files_.end()) {
    throw Error(Errc::not_found, fmt::format("{}: no such file; check the path", path.string()));
  }
  return MappedFile::from_bytes(found->second);
}

std::unique_ptr<FileWriter> MemoryStore::create(const fs::path& path) {
  return std::make_unique<MemoryWriter>(*this, key_of(path));
}

void MemoryStore::append(const fs::path& path, std::string_view text) {
  files_[key_of(path)] += text;
}

std::vector<std::string> MemoryStore::list(const fs::path& folder) const {
  const std::string prefix = prefix_of(folder);
  std::set<std::string> names;
  const auto add = [&](const std::string& key) {
    if (key.size() <= prefix.size() || !key.starts_with(prefix)) return;
    names.insert(key.substr(prefix.size(), key.find('/', prefix.size()) - prefix.size()));
  };
  for (const auto& [key, bytes] : files_) add(key);
  for (const std::string& key : folders_) add(key);
  return {names.begin(), names.end()};
}

void MemoryStore::make_folder(const fs::path& folder) {
  folders_.insert(prefix_of(folder));
}

void MemoryStore::remove(const fs::path& path) {
  const std::string prefix = prefix_of(path);
  files_.erase(key_of(path));
  std::erase_if(files_, [&](const auto& file) { return file.first.starts_with(prefix); });
  std::erase_if(folders_, [&](const auto& folder) { return folder.starts_with(prefix); });
}

}  // namespace quantlens
