// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/channel_taps.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

constexpr std::size_t kSamples = 8;      // summed apart, then added at once
constexpr std::size_t kElements = 1024;  // of a channel, then counted at once
constexpr std::size_t kTile = 4096;      // errors that are computed and summed in turn

/// Appends the elements of one channel. REQUIRES: whole blocks of all channels.
template <class Element>
void append_channel(std::span<const Element> values, const AxisLayout& layout, std::size_t channel,
                    boost::container::vector<Element>& to) {
  const std::size_t block = layout.channels * layout.inner;
  std::size_t size = to.size();
  to.resize(size + values.size() / layout.channels, boost::container::default_init);
  Element* const out = to.data();
  for (std::size_t at = channel * layout.inner; at < values.size(); at += block) {
    if (layout.inner == 1) {
      out[size++] = values[at];
    } else {
      std::ranges::copy(values.subspan(at, layout.inner), out + size);
      size += layout.inner;
    }
  }
}

/// Counts what has gathered, if it is more than `most`. REQUIRES: the mutex is that of the
/// histogram.
template <class Histogram, class Element>
void count(boost::container::vector<Element>& elements, std::size_t most, Histogram& histogram,
           std::mutex& mutex) {
  if (elements.size() <= most) return;
  const std::lock_guard lock(mutex);
  histogram.add(std::span<const Element>(elements));
  elements.clear();
}

template <class Histogram>
void check_channels(const std::vector<Histogram>& histograms, const AxisLayout& layout) {
  if (histograms.empty() || histograms.back().channel < layout.channels) return;
  throw Error(Errc::bad_input, fmt::format("there is no channel {} in a tensor of {} channels",
                                           histograms.back().channel, layout.channels));
}

void errors_of(std::span<const float> x, std::span<const float> y, Dequantize8,
               std::span<float> out) {
  pair_errors(x, y, out);
}

template <class Code>
void errors_of(std::span<const float> x, std::span<const Code> y, Dequantize8 how,
               std::span<float> out) {
  pair_errors(x, y, how, out);
}

}  // namespace

ColumnMoments& PendingChannels::next_table(std::vector<ColumnMoments>& tables,
                                           std::size_t columns) const {
  if (tables.size() == tables_) return tables.emplace_back(columns);
  tables[tables_].clear(columns);
  return tables[tables_];
}

void PendingChannels::add(const ChannelPart<float>& x, ValueTarget to) {
  if (x.values.empty()) return;
  auto& [histograms, mutex] = to.histograms;
  check_channels(histograms, x.layout);
  if (x.layout.is_table()) {
    add_rows(x.values, next_table(x_tables_, x.layout.channels));
    if (++tables_ == kSamples) flush(to);
  } else {
    to.stats.channels.add(x.values, x.layout);
  }
  elements_.resize(histograms.size());
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    append_channel(x.values, x.layout, histograms[i].channel, elements_[i].x);
    count(elements_[i].x, kElements, histograms[i].histogram, mutex);
  }
}

void PendingChannels::flush(ValueTarget to) {
  to.stats.channels.add(std::span(x_tables_).first(std::exchange(tables_, 0)));
  auto& [histograms, mutex] = to.histograms;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    count(elements_[i].x, 0, histograms[i].histogram, mutex);
  }
}

/// A sample of a pair, as far as it is added.
template <class Y>
class PendingChannels::PairSample {
 public:
  PairSample(PendingChannels& to, const ChannelPart<float>& x, std::span<const Y> y,
             Dequantize8 how, std::vector<float>& errors, PairTarget target)
      : to_(to), x_(x), y_(y), how_(how), errors_(errors), target_(target) {}

  void operator()(std::size_t elements_done) {
    const bool all = elements_done == y_.size();
    if (done_ == 0) begin();
    if (!x_.layout.is_table()) {
      if (all) add_whole();
      return;
    }
    const std::size_t columns = x_.layout.channels;
    const std::size_t end = elements_done / columns * columns;
    if (end > done_) add_table(end);
    if (all && ++to_.tables_ == kSamples) to_.flush(target_);
  }

 private:
  void begin() {
    check_channels(target_.histograms.all, x_.layout);
    to_.elements_.resize(target_.histograms.all.size());
    if (!x_.layout.is_table()) return;
    x_table_ = &to_.next_table(to_.x_tables_, x_.layout.channels);
    error_table_ = &to_.next_table(to_.error_tables_, x_.layout.channels);
  }

  std::span<const float> errors_from(std::size_t at, std::size_t count) {
    if (errors_.size() < count) errors_.resize(count);
    const std::span<float> errors(errors_.data(), count);
    errors_of(x_.values.subspan(at, count), y_.subspan(at, count), how_, errors);
    return errors;
  }

  void add_whole() {
    target_.stats.reference_channels.add(x_.values, x_.layout);
    target_.stats.error_channels.add(errors_from(0, y_.size()), x_.layout);
    count_channels(0, y_.size());
    done_ = y_.size();
  }

  void add_table(std::size_t end) {
    const std::size_t columns = x_.layout.channels;
    const std::size_t tile = std::max(kTile / columns, std::size_t{1}) * columns;
    for (std::size_t at = done_; at < end; at += tile) {
      const std::size_t count = std::min(tile, end - at);
      add_rows(x_.values.subspan(at, count), *x_table_);
      add_rows(errors_from(at, count), *error_table_);
    }
    count_channels(done_, end);
    done_ = end;
  }

  void count_channels(std::size_t begin, std::size_t end) {
    const AxisLayout& layout = x_.layout;
    auto& [histograms, mutex] = target_.histograms;
    const std::span<const float> x = x_.values.subspan(begin, end - begin);
    const std::span<const Y> y = y_.subspan(begin, end - begin);
    for (std::size_t i = 0; i < to_.elements_.size(); ++i) {
      PairedChannelHistogram& one = histograms[i];
      Elements& elements = to_.elements_[i];
      append_channel(x, layout, one.channel, elements.x);
      count(elements.x, kElements, one.reference, mutex);
      if constexpr (std::is_same_v<Y, float>) {
        append_channel(y, layout, one.channel, elements.y);
        count(elements.y, kElements, one.quantized, mutex);
      } else if constexpr (std::is_same_v<Y, std::uint8_t>) {
        append_channel(y, layout, one.channel, elements.unsigned_codes);
        count(elements.unsigned_codes, kElements, one.codes, mutex);
      } else {
        append_channel(y, layout, one.channel, elements.signed_codes);
        count(elements.signed_codes, kElements, one.codes, mutex);
      }
    }
  }

  PendingChannels& to_;
  ChannelPart<float> x_;
  std::span<const Y> y_;
  Dequantize8 how_;
  std::vector<float>& errors_;
  PairTarget target_;
  ColumnMoments* x_table_ = nullptr;
  ColumnMoments* error_table_ = nullptr;
  std::size_t done_ = 0;
};

ChunkDone PendingChannels::follow(const ChannelPart<float>& x, std::span<const float> y,
                                  Dequantize8 how, std::vector<float>& errors, PairTarget to) {
  return PairSample<float>(*this, x, y, how, errors, to);
}

ChunkDone PendingChannels::follow(const ChannelPart<float>& x, std::span<const std::uint8_t> y,
                                  Dequantize8 how, std::vector<float>& errors, PairTarget to) {
  return PairSample<std::uint8_t>(*this, x, y, how, errors, to);
}

ChunkDone PendingChannels::follow(const ChannelPart<float>& x, std::span<const std::int8_t> y,
                                  Dequantize8 how, std::vector<float>& errors, PairTarget to) {
  return PairSample<std::int8_t>(*this, x, y, how, errors, to);
}

void PendingChannels::flush(PairTarget to) {
  const std::size_t count_of = std::exchange(tables_, 0);
  to.stats.reference_channels.add(std::span(x_tables_).first(count_of));
  to.stats.error_channels.add(std::span(error_tables_).first(count_of));
  auto& [histograms, mutex] = to.histograms;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    PairedChannelHistogram& one = histograms[i];
    count(elements_[i].x, 0, one.reference, mutex);
    count(elements_[i].y, 0, one.quantized, mutex);
    count(elements_[i].unsigned_codes, 0, one.codes, mutex);
    count(elements_[i].signed_codes, 0, one.codes, mutex);
  }
}

}  // namespace quantlens
