// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "quantlens/base/store.h"

namespace quantlens::protobuf {

/// Receives the bytes of a file in order.
using Sink = std::function<void(Bytes)>;

/// Bytes still to be written, in order: ranges of a mapped file, new bytes, and bytes that are made
/// only when it is their turn. Its size is known before any of them is written, as protobuf
/// demands.
class Pieces {
 public:
  void view(std::string_view bytes);  ///< REQUIRES: they outlive this
  void text(std::string_view bytes);  ///< copied
  /// REQUIRES: `make` hands exactly `size` bytes to the sink.
  void later(std::uint64_t size, std::function<void(const Sink&)> make);
  void append(Pieces other);
  /// One field: its tag and length, then the contents.
  void field(std::uint32_t number, Pieces contents);
  void field(std::uint32_t number, std::string_view contents);  ///< copied
  void varint_field(std::uint32_t number, std::uint64_t value);

  std::uint64_t size() const { return size_; }
  /// Whether these are just the bytes at that very place.
  bool is_view_of(std::string_view bytes) const;
  void emit(const Sink& sink) const;
  std::string str() const;

 private:
  struct Later {
    std::uint64_t size = 0;
    std::function<void(const Sink&)> make;
  };
  std::vector<std::variant<std::string_view, std::string, Later>> pieces_;
  std::uint64_t size_ = 0;
};

}  // namespace quantlens::protobuf
