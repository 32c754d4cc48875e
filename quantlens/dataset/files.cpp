// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/files.h"

#include <cstdint>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "quantlens/base/store.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

std::string fingerprint_of(std::string_view bytes) {
  constexpr std::size_t kPart = std::size_t{1} << 20U;
  constexpr std::size_t kParts = 64;
  if (bytes.size() <= kParts * kPart) return sha256_hex(bytes);
  std::string text = fmt::format("{}\n", bytes.size());
  const std::size_t step = (bytes.size() - kPart) / (kParts - 1);
  for (std::size_t i = 0; i + 1 < kParts; ++i) text += sha256_hex(bytes.substr(i * step, kPart));
  return sha256_hex(text + sha256_hex(bytes.substr(bytes.size() - kPart)));
}

}  // namespace

bool reads(const OpenedData& data, const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return false;
  for (const std::vector<fs::path>* files : {&data.files, &data.sample_files}) {
    for (const fs::path& one : *files) {
      if (fs::equivalent(file, one, ignored)) return true;
    }
  }
  if (data.folder.empty()) return false;
  for (std::uint64_t i = 0; i < data.dataset->size(); ++i) {
    if (fs::equivalent(file, data.folder / data.dataset->name(i), ignored)) return true;
  }
  return false;
}

std::string fingerprint(const OpenedData& data) {
  std::string text = fmt::format("{}\n", data.dataset->size());
  for (const fs::path& file : data.files) text += fingerprint_of(MappedFile::open(file).text());
  text += data.dataset->fingerprint();
  if (data.folder.empty()) return sha256_hex(text);
  for (std::uint64_t i = 0; i < data.dataset->size(); ++i) {
    const std::string name = data.dataset->name(i);
    std::error_code unreadable;  // such a sample is left out
    const std::uintmax_t size = fs::file_size(data.folder / name, unreadable);
    text += fmt::format("{} {}\n", name, unreadable ? -1 : static_cast<std::int64_t>(size));
  }
  return sha256_hex(text);
}

}  // namespace quantlens
