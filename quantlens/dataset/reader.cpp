// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/reader.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostSkippedNamed = 100;

/// Skipped samples, in order: the first few by name, and how many.
struct Skips {
  std::vector<SkippedSample> named;
  std::uint64_t count = 0;

  void add(const Skips& more) {
    count += more.count;
    for (const SkippedSample& skip : more.named) {
      if (named.size() < kMostSkippedNamed) named.push_back(skip);
    }
  }
};

/// What became of one sample.
struct Outcome {
  Sample sample;
  std::optional<SkippedSample> skipped;
  std::exception_ptr failure;  ///< ends the reading
};

/// A batch on its way to next(), or what stands in its place.
struct Pending {
  std::vector<std::uint64_t> indices;
  std::vector<Sample> samples;
  Skips skips;                 ///< of samples before and among these
  std::exception_ptr failure;  ///< thrown in its turn; then nothing follows
  Batch batch;
  bool is_taken = false;  ///< a worker stacks it
  bool is_ready = false;
};

bool stack_together(const Sample& a, const Sample& b) {
  return std::ranges::equal(a.inputs, b.inputs, [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.dtype() == y.second.dtype() &&
           x.second.shape() == y.second.shape();
  });
}

Tensor stack(const std::vector<Sample>& samples, const std::string& input, bool whole) {
  const Tensor& first = samples.front().inputs.at(input);
  if (whole) return aligned(first);
  Shape shape = first.shape();
  shape.insert(shape.begin(), static_cast<std::int64_t>(samples.size()));
  if (first.dtype() == DType::string) {
    std::vector<std::string> strings;
    for (const Sample& sample : samples) {
      const std::vector<std::string>& more = sample.inputs.at(input).strings();
      strings.insert(strings.end(), more.begin(), more.end());
    }
    return Tensor::from_strings(std::move(shape), std::move(strings));
  }
  if (samples.size() == 1) return aligned(first.reshaped(std::move(shape)));
  const std::size_t size = first.bytes().size();
  const auto bytes = std::make_shared<std::vector<std::byte>>(size * samples.size());
  for (std::size_t i = 0; i < samples.size() && size > 0; ++i) {
    std::memcpy(bytes->data() + i * size, samples[i].inputs.at(input).bytes().data(), size);
  }
  return Tensor(first.dtype(), std::move(shape), *bytes, bytes);
}

Batch stack(std::vector<std::uint64_t> indices, std::vector<Sample> samples,
            const std::string& input_name, bool whole) {
  Batch batch;
  for (const auto& [name, tensor] : samples.front().inputs) {
    batch.inputs[name.empty() ? input_name : name] = stack(samples, name, whole);
  }
  for (Sample& sample : samples) batch.labels.push_back(std::move(sample.label));
  batch.samples = std::move(indices);
  return batch;
}

}  // namespace

/// Workers take the next sample to read or the next closed batch to stack. Samples are gathered in
/// order of their index whoever read them, so the batches do not depend on the workers. What is
/// held (being read, read, gathered, stacked) is bounded by `most_held_` samples; next() frees it.
struct BatchReader::Impl {
  Impl(const Dataset& dataset, const ReaderOptions& options, std::string input_name)
      : dataset_(dataset),
        options_(options),
        input_name_(std::move(input_name)),
        cores_(std::max(1U, options.threads)) {
    const std::uint64_t size = dataset.size();
    first_ = std::min(options.first, size);
    end_ = first_ + std::min(options.count.value_or(size), size - first_);
    next_read_ = next_gathered_ = first_;
    batch_size_ = options.whole ? 1
                                : std::clamp<std::uint64_t>(options.batch_size, 1,
                                                            std::max<std::uint64_t>(size, 1));
    const std::uint64_t busy = (2 * std::uint64_t{cores_.count()} - 1) / batch_size_ + 1;
    const std::uint64_t ahead =
        options.ahead != 0 ? options.ahead : std::max<std::uint64_t>(2, busy);
    most_held_ = batch_size_ * std::min(ahead, size / batch_size_ + 1);
    for (unsigned i = 0; i < options.threads; ++i) cores_.post([this] { work(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_all();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void work() {
    std::unique_lock lock(mutex_);
    while (!is_stopping_) {
      if (do_next(lock)) continue;
      if (is_gathered_ || (next_read_ == end_ && reading_ == 0)) return;
      changed_.wait(lock);
    }
  }

  /// Stacks a batch or reads a sample; false where neither can be done now.
  bool do_next(std::unique_lock<std::mutex>& lock) {
    const auto closed = std::ranges::find(batches_, false, &Pending::is_taken);
    if (closed != batches_.end()) {
      stack_batch(*closed, lock);
      return true;
    }
    if (is_gathered_ || next_read_ == end_ || held_ >= most_held_) return false;
    read_sample(lock);
    return true;
  }

  void read_sample(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t index = next_read_++;
    ++held_;
    ++reading_;
    lock.unlock();
    Outcome outcome = read(index);
    lock.lock();
    --reading_;
    outcomes_.emplace(index, std::move(outcome));
    gather();
    changed_.notify_all();
  }

  Outcome read(std::uint64_t index) const {
    try {
      return read_or_skip(index);
    } catch (...) {
      return {.sample = {}, .skipped = {}, .failure = std::current_exception()};
    }
  }

  Outcome read_or_skip(std::uint64_t index) const {
    try {
      return {.sample = dataset_.read(index), .skipped = {}, .failure = {}};
    } catch (const DamagedData&) {
      throw;
    } catch (const Error& error) {
      const bool skippable = error.code() == Errc::bad_input || error.code() == Errc::not_found ||
                             error.code() == Errc::io;
      if (options_.strict || !skippable) throw;
      return {
          .sample = {},
          .skipped =
              SkippedSample{.sample = index, .name = dataset_.name(index), .reason = error.what()},
          .failure = {}};
    }
  }

  /// Moves what was read into the open batch, as far as the order allows.
  void gather() {
    while (!is_gathered_ && !outcomes_.empty() && outcomes_.begin()->first == next_gathered_) {
      Outcome outcome = std::move(outcomes_.begin()->second);
      outcomes_.erase(outcomes_.begin());
      const std::uint64_t index = next_gathered_++;
      if (outcome.failure) {
        open_.failure = outcome.failure;
        is_gathered_ = true;
        close();
        return;
      }
      if (outcome.skipped) {
        --held_;
        open_.skips.add({.named = {std::move(*outcome.skipped)}, .count = 1});
        continue;
      }
      if (!open_.samples.empty() && !stack_together(open_.samples.front(), outcome.sample)) close();
      open_.indices.push_back(index);
      open_.samples.push_back(std::move(outcome.sample));
      if (open_.samples.size() == batch_size_) close();
    }
    if (next_gathered_ == end_ && !is_gathered_) {
      is_gathered_ = true;
      if (!open_.samples.empty()) close();
    }
  }

  void close() {
    Pending& closed = batches_.emplace_back(std::exchange(open_, {}));
    closed.is_taken = closed.is_ready = closed.failure != nullptr;
  }

  void stack_batch(Pending& pending, std::unique_lock<std::mutex>& lock) {
    pending.is_taken = true;  // others leave it alone, and a deque does not move its elements
    lock.unlock();
    try {
      pending.batch = stack(std::move(pending.indices), std::move(pending.samples), input_name_,
                            options_.whole);
    } catch (...) {
      pending.failure = std::current_exception();
    }
    lock.lock();
    pending.is_ready = true;
    changed_.notify_all();
  }

  std::optional<Batch> next() {
    std::unique_lock lock(mutex_);
    const auto is_there = [this] {
      return batches_.empty() ? is_gathered_ || first_ == end_ : batches_.front().is_ready;
    };
    if (options_.threads == 0) {
      while (!is_there()) do_next(lock);
    } else {
      changed_.wait(lock, is_there);
    }
    if (batches_.empty()) {
      skips_.add(std::exchange(open_.skips, {}));
      return std::nullopt;
    }
    Pending& front = batches_.front();
    skips_.add(std::exchange(front.skips, {}));
    if (front.failure) std::rethrow_exception(front.failure);  // and again at the next call
    Batch batch = std::move(front.batch);
    held_ -= batch.samples.size();
    batches_.pop_front();
    changed_.notify_all();
    return batch;
  }

  const Dataset& dataset_;
  const ReaderOptions options_;
  const std::string input_name_;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t batch_size_ = 1;
  std::uint64_t most_held_ = 1;
  Skips skips_;  ///< that next() has passed
  std::uint64_t left_out_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_read_ = 0;
  std::uint64_t next_gathered_ = 0;
  std::uint64_t held_ = 0;     ///< samples claimed and not yet handed out or skipped
  std::uint64_t reading_ = 0;  ///< samples that a worker reads at the moment
  std::map<std::uint64_t, Outcome> outcomes_;  ///< read before their turn
  Pending open_;
  std::deque<Pending> batches_;
  bool is_gathered_ = false;  ///< no further sample goes into a batch
  bool is_stopping_ = false;
  Cores cores_;  ///< last, so that it is gone before what the workers use
};

BatchReader::BatchReader(const Dataset& dataset, const ReaderOptions& options,
                         std::string input_name)
    : impl_(std::make_unique<Impl>(dataset, options, std::move(input_name))) {}

BatchReader::~BatchReader() = default;

std::optional<Batch> BatchReader::next() {
  for (;;) {
    std::optional<Batch> batch = impl_->next();
    if (!batch) impl_->dataset_.check_whole();
    if (!batch || !impl_->options_.exact || batch->samples.size() == impl_->options_.batch_size) {
      return batch;
    }
    impl_->left_out_ += batch->samples.size();
  }
}

std::uint64_t BatchReader::left_out() const {
  return impl_->left_out_;
}

std::uint64_t BatchReader::batch_size() const {
  return impl_->options_.batch_size;
}

std::uint64_t BatchReader::size() const {
  return impl_->end_ - impl_->first_;
}

std::string BatchReader::sample_name(std::uint64_t sample) const {
  return impl_->dataset_.name(sample);
}

const std::vector<SkippedSample>& BatchReader::skipped() const {
  return impl_->skips_.named;
}

std::uint64_t BatchReader::skipped_count() const {
  return impl_->skips_.count;
}

}  // namespace quantlens
