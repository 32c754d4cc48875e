// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/detections.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "quantlens/accuracy/metric_bytes.h"
#include "quantlens/base/error.h"

namespace quantlens {

void Detections::add(std::int64_t number, std::uint64_t sample, std::uint64_t objects,
                     const std::vector<BoxVerdict>& verdicts) {
  if (sample >> kSampleBits != 0) {
    throw Error(Errc::bad_input, fmt::format("map: sample {} is beyond all that are counted "
                                             "(2^{})",
                                             sample, kSampleBits));
  }
  Class& one = of_class(number);
  one.objects[block_of(sample)] += objects;
  for (const BoxVerdict& verdict : verdicts) {
    Found found{.score = verdict.score, .sample = 0, .hit = 0, .ignored = 0};
    found.sample = sample & ((std::uint64_t{1} << kSampleBits) - 1);
    found.hit = verdict.hit & ((1U << kMostOverlaps) - 1);
    found.ignored = verdict.ignored & ((1U << kMostOverlaps) - 1);
    one.found.push_back(found);
  }
}

Detections::Class& Detections::of_class(std::int64_t number) {
  constexpr std::size_t kMostClasses = 100'000;
  if (classes_.size() >= kMostClasses && !classes_.contains(number)) {
    throw Error(Errc::bad_input,
                fmt::format("map: detections have more than {} classes; name the output of "
                            "classes with map:classes=OUTPUT",
                            kMostClasses));
  }
  return classes_[number];
}

Detections::Means Detections::means(const SampleBlocks& samples) const {
  std::map<std::int64_t, Class> sorted = classes_;
  for (auto& [number, one] : sorted) {
    // those of one sample stay in the order of their verdicts
    std::ranges::stable_sort(one.found, [](const Found& a, const Found& b) {
      return a.score != b.score ? a.score > b.score : a.sample < b.sample;
    });
  }
  const auto without = [&](std::size_t block) { return mean_without(sorted, block); };
  return {.all = without(kNoBlock), .without = samples.without_each(without)};
}

double Detections::mean_without(const std::map<std::int64_t, Class>& sorted,
                                std::size_t left_out) const {
  double sum = 0;
  std::uint64_t terms = 0;
  for (const auto& [number, one] : sorted) {
    std::uint64_t objects = 0;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      if (block != left_out) objects += one.objects[block];
    }
    if (objects == 0) continue;
    for (std::size_t at = 0; at < thresholds_; ++at, ++terms) {
      std::vector<bool> hits;
      for (const Found& found : one.found) {
        if (block_of(found.sample) == left_out || (found.ignored >> at & 1U) != 0) continue;
        hits.push_back((found.hit >> at & 1U) != 0);
      }
      sum += interpolated_precision(hits, objects);
    }
  }
  return terms == 0 ? 0 : sum / static_cast<double>(terms);
}

void Detections::append_to(std::string& out) const {
  append_varint(out, classes_.size());
  for (const auto& [number, one] : classes_) {
    append_i64(out, number);
    for (const std::uint64_t objects : one.objects) append_varint(out, objects);
    std::vector<Found> in_order = one.found;
    std::ranges::stable_sort(in_order, {}, [](const Found& found) { return found.sample; });
    append_varint(out, in_order.size());
    std::uint64_t before = 0;
    for (const Found& found : in_order) {
      append_varint(out, found.sample - before);
      before = found.sample;
      append_double(out, found.score);
      append_varint(out, found.hit | std::uint64_t{found.ignored} << kMostOverlaps);
    }
  }
}

Detections::Found Detections::take_found(std::string_view& in, std::uint64_t& sample,
                                         const SampleSet& samples) const {
  const std::uint64_t further = take_varint(in);
  if (further >> kSampleBits != 0) refuse_bytes("a detection's sample is too large");
  sample += further;
  if (sample >> kSampleBits != 0 || !samples.contains(sample)) {
    refuse_bytes("a detection is of no sample that was scored");
  }
  Found found{.score = take_double(in), .sample = 0, .hit = 0, .ignored = 0};
  found.sample = sample & ((std::uint64_t{1} << kSampleBits) - 1);
  if (!std::isfinite(found.score)) refuse_bytes("a detection's score is no number");
  const std::uint64_t bits = take_varint(in);
  const std::uint64_t known = (std::uint64_t{1} << thresholds_) - 1;
  const std::uint64_t hit = bits & known;
  const std::uint64_t ignored = bits >> kMostOverlaps & known;
  if (bits != (hit | ignored << kMostOverlaps) || (hit & ignored) != 0) {
    refuse_bytes("a detection has no such verdict");
  }
  found.hit = hit & ((1U << kMostOverlaps) - 1);
  found.ignored = ignored & ((1U << kMostOverlaps) - 1);
  return found;
}

Detections::Class Detections::take_class(std::string_view& in, const SampleSet& samples) const {
  constexpr std::size_t kLeastBytes = 1 + sizeof(double) + 1;
  Class one;
  for (std::uint64_t& objects : one.objects) objects = take_tally(in);
  std::uint64_t sample = 0;
  std::array<std::array<std::uint64_t, kMostOverlaps>, kBlocks> hits{};
  for (std::size_t left = take_count(in, kLeastBytes); left > 0; --left) {
    const Found found = take_found(in, sample, samples);
    const std::size_t block = block_of(sample);
    for (std::size_t at = 0; at < thresholds_; ++at) {
      hits[block][at] += found.hit >> at & 1U;
      if (hits[block][at] > one.objects[block])
        refuse_bytes("more objects are found than are there");
    }
    one.found.push_back(found);
  }
  return one;
}

void Detections::merge_from(std::string_view& in, const SampleSet& samples) {
  constexpr std::size_t kLeastBytes = kBlocks + 1;
  take_classes(in, kLeastBytes, [&](std::int64_t number) {
    const Class part = take_class(in, samples);
    Class& one = of_class(number);
    one.found.insert(one.found.end(), part.found.begin(), part.found.end());
    for (std::size_t block = 0; block < kBlocks; ++block) one.objects[block] += part.objects[block];
  });
}

}  // namespace quantlens
