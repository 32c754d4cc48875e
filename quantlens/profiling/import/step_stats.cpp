// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/step_stats.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <protozero/exception.hpp>

#include "quantlens/base/error.h"
#include "quantlens/profiling/import/damage.h"
#include "quantlens/profiling/import/device.h"
#include "quantlens/profiling/import/tensorflow.h"

namespace quantlens::imports {
namespace {

constexpr std::size_t kMostBytes = 1U << 20;  // of one node's message
constexpr std::uint64_t kLongestStepUs = 1'000'000'000'000;
constexpr std::uint32_t kLengthDelimited = 2;

/// Which message the bytes are.
enum class Form { none, step_stats, run_metadata };

/// Bytes of a file in a fixed buffer, with their offsets.
class ByteReader {
 public:
  ByteReader(std::istream& in, Progress& progress)
      : in_(in), progress_(progress), buffer_(kMostBytes) {}
  std::uint64_t offset() const { return base_ + at_; }
  bool ended() const { return ended_; }

  /// The next bytes, fewer at the end of the file, which stay. REQUIRES: wanted <= kMostBytes.
  std::string_view peek(std::size_t wanted) {
    if (filled_ - at_ < wanted) refill();
    return {buffer_.data() + at_, std::min(wanted, filled_ - at_)};
  }
  /// Steps over so many bytes; sets `ended` where the file has fewer.
  void skip(std::uint64_t count) {
    while (count > 0 && !ended_) {
      const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(count, filled_ - at_));
      at_ += step;
      count -= step;
      if (count > 0) ended_ = peek(1).empty();
    }
  }
  /// Sets `ended` where there is none.
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = peek(1);
      if (byte.empty()) break;
      ++at_;
      value |= static_cast<std::uint64_t>(byte.front() & 0x7F) << shift;
      if ((byte.front() & 0x80) == 0) return value;
    }
    ended_ = true;
    return 0;
  }

 private:
  void refill() {
    std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
    base_ += at_;
    filled_ -= at_;
    at_ = 0;
    if (!in_) return;
    in_.read(buffer_.data() + filled_, static_cast<std::streamsize>(buffer_.size() - filled_));
    filled_ += static_cast<std::size_t>(in_.gcount());
    progress_.advance(static_cast<std::uint64_t>(in_.gcount()));
    if (progress_.stop_requested()) {
      throw Error(Errc::interrupted, "stopped while importing a profile; nothing was kept");
    }
  }

  std::istream& in_;
  Progress& progress_;
  std::vector<char> buffer_;
  std::uint64_t base_ = 0;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  bool ended_ = false;
};

/// The op in "name = Conv2D(input, weights)", which may stand after figures of memory.
std::string_view op_of(std::string_view label) {
  constexpr std::string_view kIs = " = ";
  const std::size_t is = label.find(kIs);
  if (is == std::string_view::npos) return {};
  label.remove_prefix(is + kIs.size());
  return label.substr(0, label.find('('));
}

/// A kernel's label may name its node: "kernel @@conv1/Conv2D:Conv2D#id".
std::string_view named_node(std::string_view label) {
  const std::size_t at = label.find("@@");
  if (at == std::string_view::npos) return {};
  const std::size_t end = label.find('#', at + 2);
  return end == std::string_view::npos ? std::string_view{} : label.substr(at + 2, end - at - 2);
}

class StepStatsReader {
 public:
  StepStatsReader(std::istream& in, Progress& progress) : bytes_(in, progress) {}

  Profile read(Progress& progress);

 private:
  /// Calls `enter(number, its end)` for each message in one that ends at `end`; the rest of it is
  /// skipped then. A length that leads out of it ends all.
  template <class Enter>
  void walk(std::uint64_t end, Enter enter);
  void device(std::uint64_t end);
  void node(std::size_t length, std::string_view device_name);

  ByteReader bytes_;
  StepTimes steps_;
  Damage damage_;
  bool lost_ = false;
};

template <class Enter>
void StepStatsReader::walk(std::uint64_t end, Enter enter) {
  while (!lost_ && bytes_.offset() < end && !bytes_.peek(1).empty()) {
    const std::uint64_t key = bytes_.varint();
    const auto wire = static_cast<std::uint32_t>(key & 7U);
    std::uint64_t length = wire == 1 ? 8 : wire == 5 ? 4 : 0;
    if (wire == 0) bytes_.varint();
    if (wire == kLengthDelimited) length = bytes_.varint();
    const bool known = wire < 3 || wire == 5;
    if (bytes_.ended() || !known || bytes_.offset() > end || length > end - bytes_.offset()) {
      lost_ = true;
      return;
    }
    const std::uint64_t field_end = bytes_.offset() + length;
    if (wire == kLengthDelimited) enter(key >> 3U, field_end);
    if (!lost_) bytes_.skip(field_end - bytes_.offset());
    lost_ = lost_ || bytes_.ended();
  }
}

void StepStatsReader::node(std::size_t length, std::string_view device_name) {
  const std::string_view message = bytes_.peek(length);
  if (message.size() < length) return;  // the file ends: told as such
  graphdef::NodeStats stats;
  try {
    stats = graphdef::read_node_stats(message);
  } catch (const protozero::exception&) {
    ++damage_.broken;
    return;
  }
  const bool fine = stats.ns > 0;
  const double us = fine ? static_cast<double>(stats.ns) / 1000 : static_cast<double>(stats.us);
  const double start = stats.start_ns > 0 ? static_cast<double>(stats.start_ns) / 1000
                                          : static_cast<double>(stats.start_us);
  if (us < 0 || us > static_cast<double>(kLongestStepUs)) {
    ++damage_.undated;
    return;
  }
  NodeKey key{stats.name, op_of(stats.label), {}};
  if (const auto of = named_node(stats.label); !of.empty()) key.name = of;
  const std::size_t colon = key.name.rfind(':');
  if (key.type.empty() && colon != std::string_view::npos) {
    key.type = key.name.substr(colon + 1);
    key.name = key.name.substr(0, colon);
  }
  steps_.add(device_name, key, start, us);
}

void StepStatsReader::device(std::uint64_t end) {
  std::string name;
  walk(end, [&](std::uint64_t number, std::uint64_t field_end) {
    const std::uint64_t length = field_end - bytes_.offset();
    if (number == 1) name = bytes_.peek(std::min<std::uint64_t>(length, Nodes::kMostText));
    if (number == 2 && length <= kMostBytes) node(length, name);
    if (number == 2 && length > kMostBytes) ++damage_.broken;
  });
}

/// Walks into first fields: a device's name, which begins with '/', is at the second of a StepStats
/// and at the third of a RunMetadata.
Form form_of(std::string_view beginning) {
  for (const Form form : {Form::none, Form::step_stats, Form::run_metadata}) {
    if (beginning.size() < 3 || beginning.front() != '\x0A') return Form::none;
    beginning.remove_prefix(1);
    std::size_t length = 0;
    while (length < std::min<std::size_t>(9, beginning.size()) && (beginning[length] & 0x80) != 0)
      ++length;
    beginning.remove_prefix(std::min(length + 1, beginning.size()));
    if (form != Form::none && beginning.starts_with('/')) return form;
  }
  return Form::none;
}

Profile StepStatsReader::read(Progress& progress) {
  constexpr std::uint64_t kFile = std::numeric_limits<std::uint64_t>::max();
  const auto step_stats = [&](std::uint64_t end) {
    walk(end, [&](std::uint64_t number, std::uint64_t field_end) {
      if (number == 1) device(field_end);
    });
  };
  if (form_of(bytes_.peek(64)) == Form::step_stats) {
    step_stats(kFile);
  } else {
    walk(kFile, [&](std::uint64_t number, std::uint64_t field_end) {
      if (number == 1) step_stats(field_end);
    });
  }
  Profile profile{.source = ProfileSource::tensorflow};
  damage_.cut_off = lost_;
  tell_of_damage(damage_, progress);
  steps_.fill(profile, progress);
  return profile;
}

}  // namespace

bool is_step_stats(std::string_view beginning) {
  return form_of(beginning) != Form::none;
}

Profile import_step_stats(std::istream& in, Progress& progress) {
  return StepStatsReader(in, progress).read(progress);
}

}  // namespace quantlens::imports
