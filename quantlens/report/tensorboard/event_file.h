// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quantlens/base/store.h"
#include "quantlens/report/tensorboard/event_summary.h"

namespace quantlens {

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
