// The samples of a benchmark, decoded beforehand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/dataset/dataset.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens::bench {

/// All samples in memory, as a data set.
class Decoded final : public Dataset {
 public:
  Decoded(const Dataset& from, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) samples_.push_back(from.read(i));
  }
  std::uint64_t size() const override { return samples_.size(); }
  Sample read(std::uint64_t index) const override { return samples_.at(index); }
  std::string name(std::uint64_t index) const override { return std::to_string(index); }
  bool has_labels() const override { return false; }
  const std::vector<Sample>& samples() const { return samples_; }
  double megabytes() const {
    std::size_t bytes = 0;
    for (const Sample& sample : samples_) {
      for (const auto& [name, tensor] : sample.inputs) bytes += tensor.bytes().size();
    }
    return static_cast<double>(bytes) / (1 << 20);
  }

 private:
  std::vector<Sample> samples_;
};

/// An array file of NumPy's (version 1.0): the first `count` samples of one input, stacked.
inline void write_npy(const fs::path& path, const Decoded& from, const std::string& input,
                      std::uint64_t count) {
  const Tensor& first = from.samples().at(0).inputs.at(input);
  const std::string kind(1, name(first.dtype()).front());  // f, i or u, as NumPy
  std::string shape = std::to_string(count) + ",";
  for (const std::int64_t extent : first.shape()) shape += std::to_string(extent) + ",";
  std::string header = "{'descr': '<" + kind + std::to_string(byte_size(first.dtype())) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');  // the whole is a multiple of 64
  header += '\n';
  std::ofstream out(path, std::ios::binary);
  out << std::string_view("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size() & 255)
      << static_cast<char>(header.size() >> 8) << header;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto bytes = from.samples().at(i).inputs.at(input).bytes();
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }
}

}  // namespace quantlens::bench
