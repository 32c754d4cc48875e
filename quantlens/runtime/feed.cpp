// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/feed.h"

#include <chrono>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

/// A step of progress that ends however the loop is left.
class Step {
 public:
  Step(Progress& progress, std::string_view name, std::uint64_t total) : progress_(progress) {
    progress_.begin(name, total);
  }
  ~Step() { progress_.end(); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  Progress& progress_;
};

/// Tells of the samples that were skipped since `told` were, and counts them as gone over.
void tell_skipped(const BatchReader& reader, Progress& progress, std::uint64_t& told) {
  const std::uint64_t now = reader.skipped_count();
  if (now == told) return;
  const std::vector<SkippedSample>& kept = reader.skipped();
  for (std::uint64_t i = told; i < kept.size(); ++i) {
    progress.note(fmt::format("sample {} ({}) is skipped: {}", kept[i].sample,
                              printable(kept[i].name), kept[i].reason));
  }
  progress.advance(now - told);
  told = now;
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
  using Clock = std::chrono::steady_clock;
  FeedResult result;
  const Step open_step(progress, step, reader.size());
  for (;;) {
    if (progress.stop_requested()) throw Error(Errc::interrupted, "interrupted");
    const std::optional<Batch> batch = reader.next();
    tell_skipped(reader, progress, result.skipped);
    if (!batch) break;
    const Clock::time_point before = Clock::now();
    const Outputs outputs = run.step(*batch);
    result.seconds_in_run += std::chrono::duration<double>(Clock::now() - before).count();
    if (sink) sink(*batch, outputs);
    result.samples += batch->samples.size();
    progress.advance(batch->samples.size());
  }
  if (result.samples == 0) refuse_no_samples(reader);
  return result;
}

}  // namespace quantlens
