// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace quantlens {

/// new -> wip -> success | failure; "interrupted" is a failure's message.
BOOST_DEFINE_ENUM_CLASS(WorkloadState, new_, wip, success, failure)

/// What a model is to a run. edited: the reference after edits that a recipe asked for.
BOOST_DEFINE_ENUM_CLASS(ModelRole, reference, edited, quantized)

struct ModelFile {
  ModelRole role = ModelRole::reference;
  std::string path;
  std::string sha256;
  std::uint64_t bytes = 0;
};
BOOST_DESCRIBE_STRUCT(ModelFile, (), (role, path, sha256, bytes))

/// Samples first, first + 1, ... of a data set.
struct Samples {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(Samples, (), (first, count))

/// What data are for. calibration: where that has data of its own.
BOOST_DEFINE_ENUM_CLASS(DataRole, samples, calibration)

/// Samples that a run read.
struct DataUsed {
  DataRole role = DataRole::samples;
  std::string data;           ///< as `--data` takes it
  std::string path;           ///< the file or folder that it names, absolute; empty: it names none
  std::string fingerprint;    ///< of the files that were opened and of the folder's names and sizes
  std::uint64_t samples = 0;  ///< that were chosen
  std::uint64_t batch_size = 1;
  std::optional<Samples> part;  ///< of them, where the run looked at these alone; absent: all
};
BOOST_DESCRIBE_STRUCT(DataUsed, (), (role, data, path, fingerprint, samples, batch_size, part))

/// One run's own record: the only file that holds ids, times and thread counts.
struct Workload {
  std::uint32_t format = 2;  ///< major version of the folder's layout
  std::string id;
  std::string name;
  std::string verb;
  std::vector<std::string> arguments;
  WorkloadState state = WorkloadState::new_;
  std::string message;  ///< of a failure
  std::string created;  ///< UTC, RFC 3339
  std::string finished;
  std::vector<ModelFile> models;
  /// Ends between which the models were looked at, as `--inputs` and `--outputs` name them; empty:
  /// the models' own.
  std::vector<std::string> inputs, outputs;
  std::vector<DataUsed> data;
  std::string metric;              ///< as `--metric` takes it, options included; empty: none
  std::vector<std::string> notes;  ///< what was told on the way; the first kNotesKept
  std::map<std::string, std::string> environment;  ///< versions, CPU, threads
  std::map<std::string, double> times;  ///< seconds by phase; they add up to what was measured
};
BOOST_DESCRIBE_STRUCT(Workload, (),
                      (format, id, name, verb, arguments, state, message, created, finished, models,
                       inputs, outputs, data, metric, notes, environment, times))

inline constexpr std::size_t kNotesKept = 200;

/// The run's model of this role, of several the last: a search that goes on may write to another
/// file. Null: there is none.
const ModelFile* file_of(const Workload& run, ModelRole role);

}  // namespace quantlens
