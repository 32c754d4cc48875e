// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/benchmark_data.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/passes/first_batches.h"

namespace quantlens::flow {
namespace {

constexpr std::uint64_t kMostBatches = 8;
constexpr std::uint64_t kMostBytes = 256U << 20U;  // of all batches together, but for the first

std::uint64_t bytes_of(const Batch& batch) {
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : batch.inputs) bytes += tensor.bytes().size();
  return bytes;
}

/// Of this machine, in bytes.
std::uint64_t memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGESIZE);
  constexpr std::uint64_t kUnknown = std::uint64_t{8} << 30U;
  if (pages <= 0 || size <= 0) return kUnknown;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

/// Before a batch is put together that would end the process.
void check_size(const FittedData& data) {
  BatchReader one(*data.opened.dataset, {.batch_size = 1, .whole = data.whole}, data.input_name);
  const std::optional<Batch> sample = one.next();
  if (!sample) return;
  const std::uint64_t most = memory() / 8 / std::max<std::uint64_t>(1, bytes_of(*sample));
  if (data.opened.batch_size <= std::max<std::uint64_t>(1, most)) return;
  throw Error(Errc::usage,
              fmt::format("a batch of {} samples of {} each is too large for this machine's {}; "
                          "give a --batch-size of at most {}",
                          data.opened.batch_size, human_bytes(bytes_of(*sample)),
                          human_bytes(memory()), most));
}

}  // namespace

FittedData benchmark_data(DataChoice choice, std::optional<std::uint64_t> batch_size,
                          const Model& model, Progress& progress) {
  if (batch_size) choice.options.batch_size = batch_size;
  // Random samples are as many as are asked for.
  if (batch_size && !choice.options.limit) choice.options.limit = *batch_size * kMostBatches;
  return fit_data(choice, model, progress);
}

std::vector<Batch> benchmark_batches(const FittedData& data, const Session& session) {
  check_size(data);
  const std::uint64_t size = data.whole ? 1 : data.opened.batch_size;
  BatchReader reader =
      make_reader(data, session, std::min(data.opened.dataset->size(), size * kMostBatches));
  std::vector<Batch> batches;
  std::uint64_t bytes = 0;
  for (std::optional<Batch> batch; (batch = reader.next());) {
    if (batch->samples.size() != size) continue;
    bytes += bytes_of(*batch);
    if (!batches.empty() && bytes > kMostBytes) break;
    batches.push_back(std::move(*batch));
  }
  report_skipped(reader, session.progress);
  if (!batches.empty()) return batches;
  throw Error(Errc::bad_input,
              fmt::format("the data fill no batch of {}: they hold {} samples; give more data, a "
                          "smaller --batch-size, or --data random",
                          size, data.opened.dataset->size()));
}

std::vector<Batch> batches_for(const Model& other, const Model& model, std::vector<Batch> batches) {
  const std::vector<ValueInfo>& theirs = other.graph.inputs;
  const std::vector<ValueInfo>& ours = model.graph.inputs;
  const bool same_names = std::ranges::all_of(theirs, [&](const ValueInfo& input) {
    return std::ranges::find(ours, input.name, &ValueInfo::name) != ours.end();
  });
  return same_names ? std::move(batches) : renamed(batches, model, other);
}

}  // namespace quantlens::flow
