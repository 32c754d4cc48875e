// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/part.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::flow {
namespace {

Samples samples_of_shard(const Shard& shard, std::uint64_t count, std::uint64_t batch_size) {
  const std::uint64_t batches = (count + batch_size - 1) / batch_size;
  if (shard.count > batches) {
    throw Error(Errc::usage, fmt::format("there are {} samples in batches of {} for {} shards; use "
                                         "at most {}",
                                         count, batch_size, shard.count, batches));
  }
  const auto begin = [&](std::uint64_t index) {  // of neighbours one is a batch longer at most
    const std::uint64_t batch =
        batches / shard.count * index + std::min(index, batches % shard.count);
    return std::min(count, batch * batch_size);
  };
  const std::uint64_t first = begin(shard.index - 1);
  return {.first = first, .count = begin(shard.index) - first};
}

}  // namespace

Samples samples_of(const Part& part, const FittedData& data, std::uint64_t most) {
  const std::uint64_t size = data.opened.dataset->size();
  if (const auto* samples = std::get_if<Samples>(&part)) {
    if (samples->first + samples->count <= size) return *samples;
    throw Error(Errc::bad_input,
                fmt::format("{}: has {} samples, not {}; ask for some of 0:{}",
                            printable(data.source), size, samples->first + samples->count, size));
  }
  const std::uint64_t count = std::min(most, size);
  if (const auto* shard = std::get_if<Shard>(&part)) {
    return samples_of_shard(*shard, count, data.opened.batch_size);
  }
  return {.first = 0, .count = count};
}

void look_at(const Part& part, FittedData& data) {
  if (std::holds_alternative<std::monostate>(part)) return;
  data.part = samples_of(part, data, data.opened.dataset->size());
}

}  // namespace quantlens::flow
