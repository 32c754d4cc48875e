// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/first_batches.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::flow {

constexpr std::uint64_t kBatches = 8;

std::vector<Batch> first_batches(const FittedData& data, const Session& session) {
  BatchReader reader = make_reader(data, session, kBatches * data.opened.batch_size);
  std::vector<Batch> batches;
  while (std::optional<Batch> batch = reader.next()) {
    if (!batches.empty() && batch->samples.size() != batches.front().samples.size()) continue;
    batches.push_back(std::move(*batch));
  }
  report_skipped(reader, session.progress);
  if (batches.empty()) throw Error(Errc::bad_input, "no sample could be read; see the notes above");
  return batches;
}

std::vector<Batch> renamed(const std::vector<Batch>& batches, const Model& from, const Model& to) {
  if (from.graph.inputs.size() != to.graph.inputs.size()) {
    throw Error(Errc::unsupported,
                fmt::format("{} has {} inputs and {} has {}: they cannot be given the same data",
                            printable(from.path.string()), from.graph.inputs.size(),
                            printable(to.path.string()), to.graph.inputs.size()));
  }
  std::vector<Batch> result;
  for (const Batch& batch : batches) {
    Batch other{.samples = batch.samples, .inputs = {}, .labels = {}};
    for (std::size_t i = 0; i < from.graph.inputs.size(); ++i) {
      const auto found = batch.inputs.find(from.graph.inputs[i].name);
      if (found != batch.inputs.end()) {
        other.inputs.emplace(to.graph.inputs[i].name, found->second);
      }
    }
    result.push_back(std::move(other));
  }
  return result;
}

}  // namespace quantlens::flow
