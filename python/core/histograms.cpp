// The distributions that a diagnosis stored. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/core/run.h"
#include "python/core/run_verb.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/report/tensorboard/event_tensors.h"
#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/read_run.h"

namespace quantlens::python {
namespace {

/// (edges, counts): one edge more than counts; None where nothing was counted.
nb::object buckets_to_python(const std::optional<EventBuckets>& buckets) {
  if (!buckets || buckets->limits.empty()) return nb::none();
  nb::list edges, counts;
  edges.append(std::min(buckets->min, buckets->limits.front()));
  for (const double limit : buckets->limits) edges.append(limit);
  for (const double count : buckets->counts) counts.append(count);
  return nb::make_tuple(edges, counts);
}

nb::list stored_histograms(const PythonRun& run, const std::vector<std::string>& values) {
  nb::list all;
  const DiskStore store;
  const WorkloadReader reader(store, run.folder);
  const std::string part = kept_part(run.records);
  const auto pairing = reader.get<Pairing>(part);
  const auto graph = reader.get<GraphOutline>();
  const fs::path path = reader.path<Histograms>(part);
  const std::optional<MappedFile> file = find_file(store, path);
  if (!pairing || !graph || !file) return all;
  const HistogramsReader histograms(file->text(), printable(path.string()));
  for (const EventTensor& tensor : event_tensors(*pairing, *graph, EventNames(*graph))) {
    const bool is_asked =
        values.empty() || std::ranges::find(values, tensor.reference) != values.end();
    const auto pair = is_asked ? histograms.find(tensor.reference, tensor.quantized) : std::nullopt;
    if (!pair) continue;
    const nb::object reference = buckets_to_python(reference_buckets(*pair));
    if (reference.is_none()) continue;
    all.append(nb::make_tuple(tensor.tag, tensor.reference, tensor.quantized, reference,
                              buckets_to_python(quantized_buckets(*pair, tensor.codes))));
  }
  return all;
}

}  // namespace

nb::list histograms_of_run(const PythonRun& run, const std::vector<std::string>& values) {
  try {
    return stored_histograms(run, values);
  } catch (const Error& error) {
    raise(error);
  }
}

}  // namespace quantlens::python
