// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/sealed_store.h"

#include <utility>

#include "quantlens/base/error.h"

namespace quantlens::remote {
namespace {

class SealedWriter final : public FileWriter {
 public:
  SealedWriter(std::map<fs::path, SealedStore::Written>& files, fs::path path)
      : files_(files), path_(std::move(path)) {}

  void write(Bytes bytes) override { file_.write(bytes); }
  void commit() override {
    const std::uint64_t bytes = file_.size();
    files_[path_] = {.file = file_.sealed(), .bytes = bytes};
  }

 private:
  std::map<fs::path, SealedStore::Written>& files_;
  fs::path path_;
  SealedFile file_;
};

[[noreturn]] void refuse() {
  throw Error(Errc::usage, "a worker only creates files");
}

}  // namespace

MappedFile SealedStore::read(const fs::path&) const {
  refuse();
}

std::unique_ptr<FileWriter> SealedStore::create(const fs::path& path) {
  return std::make_unique<SealedWriter>(files_, path);
}

void SealedStore::append(const fs::path&, std::string_view) {
  refuse();
}

std::vector<std::string> SealedStore::list(const fs::path&) const {
  refuse();
}

void SealedStore::make_folder(const fs::path&) {
  refuse();
}

void SealedStore::remove(const fs::path&) {
  refuse();
}

}  // namespace quantlens::remote
