// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_log.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/file_descriptor.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "server/read_bounded.h"

namespace quantlens::server {
namespace {

constexpr std::uint64_t kPart = std::uint64_t{64} << 10;
constexpr std::size_t kMostSentence = 1000;
constexpr std::uint64_t kBlock = 4096;

std::uint64_t size_of(const fs::path& file) {
  struct stat info = {};
  return ::lstat(file.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

/// Where there is something again behind what was given back to the disk.
std::uint64_t first_kept(const fs::path& file, std::uint64_t after) {
  const FileDescriptor log(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!log.is_open()) return after;
  const off_t found = ::lseek(log.get(), static_cast<off_t>(after), SEEK_DATA);
  return found < 0 ? after : static_cast<std::uint64_t>(found);
}

}  // namespace

std::optional<JobProgress> progress_of(const ProgressEvent& event) {
  if (!event.step) return std::nullopt;
  JobProgress progress{.step = *event.step,
                       .done = event.done.value_or(0),
                       .total = event.total,
                       .seconds = std::max(0.0, event.seconds.value_or(0)),
                       .rate = {},
                       .remaining_seconds = {}};
  if (progress.done == 0 || progress.seconds <= 0) return progress;
  progress.rate = static_cast<double>(progress.done) / progress.seconds;
  if (progress.total) {
    const std::uint64_t left = *progress.total - std::min(*progress.total, progress.done);
    progress.remaining_seconds = static_cast<double>(left) / *progress.rate;
  }
  return progress;
}

bool JobLog::read() {
  bool has_news = false;
  for (;;) {
    const auto text = read_bounded(file_, kPart, at_);
    if (!text || text->empty()) break;
    std::size_t whole = text->rfind('\n') + 1;                      // 0: no line has ended
    if (whole == 0 && text->size() == kPart) whole = text->size();  // no line of ours is so long
    if (whole == 0) break;
    has_news = take_lines(std::string_view(*text).substr(0, whole)) || has_news;
    at_ += whole;
    if (text->size() < kPart) break;
  }
  if (at_ > forgotten_ + 2 * kKeptLogBytes) forget_old();
  return has_news;
}

void JobLog::catch_up(bool knows_workload) {
  if (!knows_workload) {
    if (const auto text = read_bounded(file_, kPart)) take_lines(*text);
  }
  const std::uint64_t size = size_of(file_);
  if (size > kPart) at_ = size - kPart;
  read();
}

bool JobLog::take_lines(std::string_view text) {
  bool has_lines = false;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    take_line(text.substr(0, end));
    text.remove_prefix(end + 1);
    has_lines = true;
  }
  return has_lines;
}

void JobLog::take_line(std::string_view line) {
  if (line.empty()) return;
  if (!line.starts_with('{')) {
    last_sentence_ = printable(line.substr(0, kMostSentence));
    return;
  }
  try {
    const auto event = json::decode<ProgressEvent>(json::parse(line, "line"), "line");
    if (event.event == EventKind::workload && event.id) workload_ = event.id;
    if (auto progress = progress_of(event)) progress_ = std::move(progress);
  } catch (const Error&) {
    return;  // a torn line, or one of a newer program
  }
}

/// Gives blocks back to the disk while the job goes on writing: what is left keeps its place.
void JobLog::forget_old() {
  forgotten_ = (at_ - kKeptLogBytes) / kBlock * kBlock;
  const FileDescriptor log(::open(file_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!log.is_open()) return;
  if (::fallocate(log.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  static_cast<off_t>(forgotten_)) != 0)
    errno = 0;  // this file system cannot: the log stays as long as it is
}

bool JobLog::is_empty() const {
  return size_of(file_) == 0;
}

LogPart log_part(const fs::path& file, std::uint64_t after, std::uint64_t most) {
  LogPart part{.begin = after, .end = after, .size = size_of(file), .text = {}};
  if (after >= part.size) {
    part.begin = part.end = part.size;
    return part;
  }
  part.begin = first_kept(file, after);
  part.text = read_bounded(file, most, part.begin).value_or("");
  if (part.begin > after) {  // the line there has lost its beginning
    const std::size_t line = part.text.find('\n') + 1;
    part.text.erase(0, line);
    part.begin += line;
  }
  if (const std::size_t last = part.text.rfind('\n'); last != std::string::npos)
    part.text.resize(last + 1);
  part.end = part.begin + part.text.size();
  return part;
}

}  // namespace quantlens::server
