// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/events.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/profiling/import/cursor.h"

namespace quantlens::imports {
namespace {

constexpr double kLongestUs = 1e12;

bool read_args(Cursor& cursor, std::span<const std::string_view> keys, Event& event) {
  if (cursor.peek() != '{') return cursor.value().has_value();
  if (!cursor.eat('{')) return false;
  if (cursor.eat('}')) return true;
  do {
    const auto key = cursor.string();
    if (!key || !cursor.eat(':')) return false;
    const auto value = cursor.value();
    if (!value) return false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == *key) event.args[i] = *value;
    }
  } while (cursor.eat(','));
  return cursor.eat('}');
}

std::string_view* field_of(Event& event, std::string_view key) {
  if (key == "cat") return &event.category;
  if (key == "name") return &event.name;
  if (key == "ph") return &event.phase;
  if (key == "pid") return &event.process;
  if (key == "tid") return &event.thread;
  if (key == "ts") return &event.start;
  if (key == "dur") return &event.duration;
  return nullptr;
}

bool read_event(Cursor& cursor, std::span<const std::string_view> keys, Event& event) {
  event.category = event.name = event.phase = event.process = event.thread = {};
  event.start = event.duration = {};
  event.args.assign(keys.size(), {});
  if (!cursor.eat('{')) return false;
  if (cursor.eat('}')) return true;
  do {
    const auto key = cursor.string();
    if (!key || !cursor.eat(':')) return false;
    if (*key == "args") {
      if (!read_args(cursor, keys, event)) return false;
      continue;
    }
    const auto value = cursor.value();
    if (!value) return false;
    if (std::string_view* field = field_of(event, *key)) *field = *value;
  } while (cursor.eat(','));
  return cursor.eat('}');
}

/// The code unit of `\uXXXX`, of which `hex` begins after the u; nothing where it is none.
std::optional<std::uint32_t> code_unit(std::string_view hex) {
  std::uint32_t unit = 0;
  if (hex.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + 4, unit, 16);
  if (error != std::errc{} || end != hex.data() + 4) return std::nullopt;
  return unit;
}

void append_utf8(std::string& out, std::uint32_t c) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((c >> shift) & 0x3FU));
  };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0U | (c >> 6U));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0U | (c >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (c >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Decodes the escape at the beginning of `raw`; returns its length. An unknown one stays as it is.
std::size_t append_escape(std::string& out, std::string_view raw) {
  constexpr std::string_view kLetters = "bfnrt\"\\/";
  constexpr std::string_view kMeaning = "\b\f\n\r\t\"\\/";
  const std::size_t letter = raw.size() > 1 ? kLetters.find(raw[1]) : std::string_view::npos;
  if (letter != std::string_view::npos) {
    out += kMeaning[letter];
    return 2;
  }
  const auto unit = raw.starts_with("\\u") ? code_unit(raw.substr(2)) : std::nullopt;
  if (!unit) {
    out += raw.front();
    return 1;
  }
  const std::string_view after = raw.substr(6);
  const auto low = after.starts_with("\\u") ? code_unit(after.substr(2)) : std::nullopt;
  if (*unit >= 0xD800 && *unit < 0xDC00 && low && *low >= 0xDC00 && *low < 0xE000) {
    append_utf8(out, 0x10000 + ((*unit - 0xD800) << 10U) + (*low - 0xDC00));
    return 12;
  }
  append_utf8(out, *unit);  // half a pair is no valid UTF-8 and is replaced
  return 6;
}

}  // namespace

EventReader::EventReader(std::istream& in, Progress& progress,
                         std::span<const std::string_view> args)
    : in_(in), progress_(progress), args_(args), buffer_(kMostBytes) {}

/// Moves what is left to the front and reads on; false where nothing came.
bool EventReader::refill() {
  std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
  filled_ -= at_;
  at_ = 0;
  if (filled_ == buffer_.size() || !in_) return false;
  in_.read(buffer_.data() + filled_, static_cast<std::streamsize>(buffer_.size() - filled_));
  const auto came = static_cast<std::size_t>(in_.gcount());
  filled_ += came;
  progress_.advance(came);
  if (progress_.stop_requested()) {
    throw Error(Errc::interrupted, "stopped while importing a profile; nothing was kept");
  }
  return came > 0;
}

/// Stands at the next other character; false at the end of the file.
bool EventReader::skip_space(std::string_view also) {
  for (;;) {
    while (at_ < filled_ && (static_cast<unsigned char>(buffer_[at_]) <= ' ' ||
                             also.find(buffer_[at_]) != std::string_view::npos)) {
      ++at_;
    }
    if (at_ < filled_) return true;
    if (!refill()) return false;
  }
}

/// Steps over the bracket that opens the list of events.
bool EventReader::find_list() {
  if (!skip_space("\xEF\xBB\xBF")) return false;  // a byte order mark
  if (buffer_[at_] == '[') return ++at_, true;
  if (buffer_[at_] != '{') return false;
  ++at_;
  for (;;) {
    if (!skip_space(",") || buffer_[at_] == '}') return false;
    Cursor cursor(rest());
    const auto key = cursor.string();
    const bool found = key == "traceEvents" && cursor.eat(':') && cursor.eat('[');
    const bool skipped = key && !found && cursor.eat(':') && cursor.value();
    if (found || skipped) {
      at_ += static_cast<std::size_t>(cursor.at() - rest().data());
      if (found) return true;
    } else if (!cursor.wants_more() || !refill()) {
      return false;
    }
  }
}

bool EventReader::skip_line() {
  for (;;) {
    const auto* newline =
        static_cast<const char*>(std::memchr(buffer_.data() + at_, '\n', filled_ - at_));
    if (newline != nullptr) {
      at_ = static_cast<std::size_t>(newline - buffer_.data()) + 1;
      return true;
    }
    at_ = filled_;
    if (!refill()) return false;
  }
}

void EventReader::skip_broken(const char* at) {
  ++broken_;
  at_ = static_cast<std::size_t>(at - buffer_.data());
  finished_ = cut_off_ = !skip_line();
}

bool EventReader::next(Event& event) {
  if (!started_) {
    started_ = true;
    finished_ = cut_off_ = !find_list();
  }
  while (!finished_) {
    if (!skip_space(",")) {
      finished_ = cut_off_ = true;
    } else if (buffer_[at_] == ']') {
      finished_ = true;
    } else {
      Cursor cursor(rest());
      if (read_event(cursor, args_, event)) {
        at_ = static_cast<std::size_t>(cursor.at() - buffer_.data());
        return true;
      }
      const bool full = at_ == 0 && filled_ == buffer_.size();
      if (full || !cursor.wants_more()) {
        skip_broken(cursor.at());  // of a too large one all that is here: no byte is read twice
      } else if (!refill() && filled_ < buffer_.size()) {
        finished_ = cut_off_ = true;
      }
    }
  }
  return false;
}

std::string decoded(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return valid_utf8(raw);
  std::string out;
  while (!raw.empty()) {
    if (raw.front() == '\\') {
      raw.remove_prefix(append_escape(out, raw));
    } else {
      out += raw.front();
      raw.remove_prefix(1);
    }
  }
  return valid_utf8(out);
}

double time_us(std::string_view raw) {
  double us = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), us);
  return error == std::errc{} && end == raw.data() + raw.size() && us >= -1e18 && us <= 1e18 ? us
                                                                                             : 0;
}

std::optional<double> duration_us(std::string_view raw) {
  double us = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), us);
  if (error != std::errc{} || end != raw.data() + raw.size()) return std::nullopt;
  if (!(us >= 0 && us <= kLongestUs)) return std::nullopt;
  return us;
}

}  // namespace quantlens::imports
