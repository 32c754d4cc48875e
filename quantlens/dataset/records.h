// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"

namespace quantlens {

/// One file of TensorFlow's records (tensorflow/core/lib/io/record_writer.h): of each its length in
/// 8 bytes, their masked CRC-32C in 4, its bytes, their masked CRC-32C. Views the mapped file.
class Records {
 public:
  /// Finds where each record is, by its length alone. `where` is what people call the file. Throws
  /// Errc::bad_input for a file that is compressed, holds no record, holds something else, or ends
  /// inside a record.
  Records(MappedFile file, std::string where);

  std::uint64_t size() const { return places_.size(); }
  /// Throws Errc::bad_input where the bytes are not those that were written, by their checksum.
  /// REQUIRES: index < size().
  std::string_view read(std::uint64_t index) const;
  /// "FILE, record 17"
  std::string name(std::uint64_t index) const;
  /// Of the lengths and the checksums that the file has of all records.
  std::string fingerprint() const;

 private:
  struct Place {
    std::uint64_t begin, size;
  };

  std::uint32_t checksum(const Place& place) const;

  MappedFile file_;
  std::string where_;
  std::vector<Place> places_;
};

/// The files that a pattern means, sorted by name: in its last part `*` stands for any characters,
/// `?` for one and `[...]` for one of several. Throws Errc::not_found where there are none.
std::vector<fs::path> files_of(const fs::path& pattern);

}  // namespace quantlens
