// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/give.h"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quantlens/base/text.h"

namespace quantlens::remote {
namespace {

bool holds(const FileDescriptor& file, Bytes bytes) {
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (static_cast<std::uint64_t>(info.st_size) != bytes.size()) return false;
  constexpr std::size_t kChunk = 1U << 20U;
  std::vector<std::byte> part(std::min(kChunk, bytes.size()));
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t wanted = std::min(part.size(), bytes.size() - at);
    const ssize_t count = ::pread(file.get(), part.data(), wanted, static_cast<off_t>(at));
    if (count <= 0) return false;
    const auto size = static_cast<std::size_t>(count);
    if (std::memcmp(part.data(), bytes.data() + at, size) != 0) return false;
    at += size;
  }
  return true;
}

/// With these bytes.
FileDescriptor file_with(const fs::path& path, Bytes bytes) {
  if (!path.empty()) {
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.is_open() && holds(file, bytes)) return file;
  }
  return file_of(bytes);
}

}  // namespace

ModelFileText give(std::string_view format, const fs::path& path, const MappedFile& file,
                   std::vector<FileDescriptor>& files) {
  ModelFileText text{
      .format = std::string(format), .path = path.string(), .attached = !file.bytes().empty()};
  if (text.attached) files.push_back(file_with(path, file.bytes()));
  return text;
}

ModelFileText give(const Model& model, std::vector<FileDescriptor>& files) {
  ModelFileText text = give(model.format, model.path, model.file, files);
  for (const ValueInfo& input : model.graph.inputs) text.inputs.push_back(input.name);
  for (const ValueInfo& output : model.graph.outputs) text.outputs.push_back(output.name);
  return text;
}

}  // namespace quantlens::remote
