// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/feed.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/nan_watch.h"

namespace quantlens {
namespace {

/// A batch from the reader to the sink. Its number is its place in the order.
struct Ticket {
  std::vector<SkippedSample> skipped;  ///< before it, as far as they have names
  std::uint64_t skipped_count = 0;     ///< before it
  std::optional<Batch> batch;          ///< nothing where the data end
  Outputs outputs;
  FoundNan nan;                ///< in its inputs and the reference's outputs
  double seconds = 0;          ///< inside Run::step
  std::exception_ptr failure;  ///< of the reader or the step
};

/// What the threads of a feed share. They draw batches in order, step, and hand in; the calling
/// thread passes on what came in, in order again.
class Lanes {
 public:
  Lanes(Run& run, BatchReader& reader) : run_(run), reader_(reader) {}

  /// Draws the next batch, steps it and hands it in; false where nothing is left to draw. Waits
  /// while `most` tickets are under way or not yet passed on, unless there is one to pass on and
  /// the thread is to do that.
  bool step_one(std::size_t most, bool passes_on) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        return is_over_ || claimed_ - passed_on_ < most || (passes_on && is_next_there());
      });
      if (is_over_ || claimed_ - passed_on_ >= most) return !is_over_;
      ++claimed_;
    }
    Ticket ticket;
    const std::uint64_t number = draw(ticket);
    if (ticket.batch) step(ticket);
    const std::lock_guard lock(mutex_);
    if (ticket.failure) is_over_ = true;
    done_.emplace(number, std::move(ticket));
    changed_.notify_all();
    return !is_over_;
  }

  /// The next ticket in order, if it is there. With `wait`, nothing only if no more will come.
  std::optional<Ticket> next(bool wait) {
    std::unique_lock lock(mutex_);
    if (wait) changed_.wait(lock, [this] { return is_next_there() || passed_on_ == claimed_; });
    if (!is_next_there()) return std::nullopt;
    std::optional<Ticket> ticket = std::move(done_.begin()->second);
    done_.erase(done_.begin());
    ++passed_on_;
    changed_.notify_all();
    return ticket;
  }

  /// Nothing more is claimed.
  void stop() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }

 private:
  bool is_next_there() const { return !done_.empty() && done_.begin()->first == passed_on_; }

  /// Gives the ticket's number. What is claimed is drawn even where the data ended meanwhile: the
  /// reader then says so again.
  std::uint64_t draw(Ticket& ticket) {
    const std::lock_guard lock(drawing_);
    try {
      ticket.batch = reader_.next();
    } catch (...) {
      ticket.failure = std::current_exception();
    }
    const std::vector<SkippedSample>& named = reader_.skipped();
    ticket.skipped.assign(named.begin() + static_cast<std::ptrdiff_t>(named_), named.end());
    named_ = named.size();
    ticket.skipped_count =
        reader_.skipped_count() - std::exchange(skipped_, reader_.skipped_count());
    if (ticket.failure || !ticket.batch) stop();
    return drawn_++;
  }

  void step(Ticket& ticket) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point before = Clock::now();
    try {
      ticket.outputs = run_.step(*ticket.batch);
    } catch (...) {
      ticket.failure = std::current_exception();
    }
    ticket.seconds = std::chrono::duration<double>(Clock::now() - before).count();
    if (!ticket.failure) ticket.nan = find_nan(*ticket.batch, ticket.outputs.reference);
  }

  Run& run_;
  std::mutex drawing_;  // of what follows
  BatchReader& reader_;
  std::uint64_t drawn_ = 0;    // tickets
  std::size_t named_ = 0;      // skipped samples that they have
  std::uint64_t skipped_ = 0;  // likewise
  std::mutex mutex_;           // of what follows
  std::condition_variable changed_;
  std::uint64_t claimed_ = 0;    // tickets that are or will be drawn
  std::uint64_t passed_on_ = 0;  // tickets, that is the number of the next one
  std::map<std::uint64_t, Ticket> done_;
  bool is_over_ = false;  // nothing more is claimed
};

/// The calling thread's side: tells progress and sink, in order.
class Teller {
 public:
  Teller(const BatchReader& reader, Progress& progress, const OutputSink& sink)
      : progress_(progress), sink_(sink), nan_(reader, progress) {}

  void tell(const Ticket& ticket) {
    for (const SkippedSample& skipped : ticket.skipped) {
      progress_.note(fmt::format("sample {} ({}) is skipped: {}", skipped.sample,
                                 printable(skipped.name), skipped.reason));
    }
    if (ticket.skipped_count > 0) progress_.advance(ticket.skipped_count);
    result.skipped += ticket.skipped_count;
    if (ticket.failure) std::rethrow_exception(ticket.failure);
    if (!ticket.batch) return;
    result.seconds_in_run += ticket.seconds;
    nan_.add(ticket.nan);
    if (sink_) sink_(*ticket.batch, ticket.outputs);
    result.samples += ticket.batch->samples.size();
    progress_.advance(ticket.batch->samples.size());
  }

  void check_stop() const { throw_if_stopped(progress_); }
  void check_answers() const { nan_.check(result.samples); }

  FeedResult result;

 private:
  Progress& progress_;
  const OutputSink& sink_;
  NanWatch nan_;
};

/// Steps on other threads; however it is left, it waits for them.
class Helpers {
 public:
  Helpers(Lanes& lanes, unsigned count, std::size_t most) : lanes_(lanes), cores_(count) {
    for (unsigned i = 0; i < count; ++i) {
      cores_.post([&lanes, most] {
        while (lanes.step_one(most, false)) continue;
      });
    }
  }
  ~Helpers() { lanes_.stop(); }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

 private:
  Lanes& lanes_;
  Cores cores_;  // waits for its tasks when it goes
};

/// Steps and tells until the data end.
void step_and_tell(Lanes& lanes, Teller& teller, std::size_t most) {
  for (bool goes_on = true; goes_on;) {
    teller.check_stop();
    goes_on = lanes.step_one(most, true);
    while (const std::optional<Ticket> ticket = lanes.next(false)) {
      teller.tell(*ticket);
      teller.check_stop();  // others may hand in as fast as this thread tells
    }
  }
  while (const std::optional<Ticket> ticket = lanes.next(true)) teller.tell(*ticket);
}

[[noreturn]] void refuse_no_samples(const BatchReader& reader) {
  if (reader.left_out() > 0) {
    throw Error(Errc::bad_input, fmt::format("the model takes batches of exactly {} samples, and "
                                             "there are only {}; give more, or raise --limit",
                                             reader.batch_size(), reader.left_out()));
  }
  if (reader.skipped().empty()) throw Error(Errc::bad_input, "the data set has no samples");
  const SkippedSample& first = reader.skipped().front();
  throw Error(Errc::bad_input,
              fmt::format("none of the {} samples could be read; the first, {}: {}",
                          reader.skipped_count(), printable(first.name), first.reason));
}

}  // namespace

FeedResult feed(Run& run, BatchReader& reader, Progress& progress, std::string_view step,
                const OutputSink& sink) {
  const ProgressStep open_step(progress, step, reader.size());
  Lanes lanes(run, reader);
  Teller teller(reader, progress, sink);
  teller.check_stop();
  const bool goes_on = lanes.step_one(1, true);
  teller.tell(*lanes.next(true));
  const unsigned in_flight = run.in_flight();
  // Whoever is quicker than the first in line may be ahead by a batch, and no more: its outputs
  // wait.
  const std::size_t most = in_flight == 1 ? 1 : std::size_t{2} * in_flight;
  std::optional<Helpers> helpers;
  if (goes_on && in_flight > 1) helpers.emplace(lanes, in_flight - 1, most);
  if (goes_on) step_and_tell(lanes, teller, most);
  helpers.reset();
  if (teller.result.samples == 0) refuse_no_samples(reader);
  teller.check_answers();
  return teller.result;
}

}  // namespace quantlens
