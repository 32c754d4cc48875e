// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_file.h"

#include <span>

#include <protozero/pbf_builder.hpp>

#include "quantlens/base/crc32c.h"
#include "quantlens/stats/bytes.h"

namespace quantlens {
namespace {

enum class EventField : protozero::pbf_tag_type {
  wall_time = 1,
  step = 2,
  file_version = 3,
  graph_def = 4,
  summary = 5
};
using EventBuilder = protozero::pbf_builder<EventField>;

}  // namespace

EventFile::EventFile(FileWriter& file, double seconds) : file_(file), seconds_(seconds) {
  std::string bytes;
  EventBuilder event(bytes);
  event.add_double(EventField::wall_time, seconds_);
  event.add_string(EventField::file_version, "brain.Event:2");
  add_record(bytes);
}

void EventFile::add(std::int64_t step, const EventSummary& summary) {
  std::string bytes;
  EventBuilder event(bytes);
  event.add_double(EventField::wall_time, seconds_);
  event.add_int64(EventField::step, step);
  event.add_message(EventField::summary, summary.bytes());
  add_record(bytes);
}

void EventFile::add_graph(std::string_view graph_def) {
  std::string bytes;
  EventBuilder event(bytes);
  event.add_double(EventField::wall_time, seconds_);
  event.add_bytes(EventField::graph_def, graph_def.data(), graph_def.size());
  add_record(bytes);
}

void EventFile::add_record(std::string_view bytes) {
  std::string head, tail;
  append_u64(head, bytes.size());
  append_u32(head, masked_crc32c(head));
  append_u32(tail, masked_crc32c(bytes));
  for (const std::string_view part : {std::string_view(head), bytes, std::string_view(tail)})
    file_.write(std::as_bytes(std::span(part)));
}

}  // namespace quantlens
