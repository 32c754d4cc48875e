// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quantlens/base/store.h"
#include "quantlens/report/tensorboard/event_summary.h"

namespace quantlens {

/// CRC-32C of the bytes (Castagnoli; RFC 3720, appendix B.4), masked as TensorFlow's records have
/// it: rotated right by 15 bits, plus 0xa282ead8.
std::uint32_t masked_crc32c(std::string_view bytes);

/// A file of events as TensorBoard reads it: TensorFlow's records (length, its checksum, bytes,
/// their checksum), each an `Event` (tensorboard/compat/proto/event.proto). Equal calls make equal
/// bytes. Throws as the writer does.
class EventFile {
 public:
  /// `seconds` since 1970: when all its events happened. Begins the file.
  EventFile(FileWriter& file, double seconds);

  void add(std::int64_t step, const EventSummary& summary);
  void add_graph(std::string_view graph_def);

 private:
  void add_record(std::string_view bytes);

  FileWriter& file_;
  double seconds_;
};

}  // namespace quantlens
