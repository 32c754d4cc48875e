// flow: one file a verb: what the command line, Python and the API call. Puts the other modules
// together and keeps every record in the workspace; computes nothing itself. Start with quantize.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "quantlens/base/phases.h"
#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/dataset/open.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/graph/cut.h"
#include "quantlens/graph/model.h"
#include "quantlens/record/workload.h"
#include "quantlens/runtime/constants.h"
#include "quantlens/runtime/formats.h"
#include "quantlens/runtime/run.h"
#include "quantlens/runtime/workers.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::flow {

/// What every verb gets from its door.
struct Session {
  Store& store;
  Progress& progress;
  fs::path workspace;                  ///< empty: default_workspace()
  std::string name;                    ///< of the workload; empty: the model's file name
  std::vector<std::string> arguments;  ///< as the user gave them, for the record
  unsigned threads = 1;                ///< cores to use, all together
  bool strict = false;                 ///< an unreadable sample ends the verb
  std::optional<Isolation> isolation;  ///< where the models run in a process of their own
  /// Who reads, writes and runs models of formats that workers alone have; null: nobody does.
  std::shared_ptr<Workers> workers = {};
  Ends ends = {};            ///< of all models that are read: what lies between them is the model
  Phases* phases = nullptr;  ///< of the recorded run; null before it begins
};

/// The same that tells another one of its progress. Views both.
Session with_progress(const Session& session, Progress& progress);

/// The doors to models of all formats, between the session's ends.
Formats formats(const Session& session);

/// Which samples.
struct DataChoice {
  std::string data;  ///< as `--data` takes it; of `samples`, what people call them
  std::shared_ptr<const Dataset> samples = {};  ///< the caller's own; null: `data` is opened
  DataOptions options;

  bool is_given() const { return samples != nullptr || !data.empty(); }
};

/// A data set fitted to a model.
struct FittedData {
  OpenedData opened;
  std::string source;      ///< as `--data` had it
  std::string input_name;  ///< the model's only input, for data that do not name theirs
  bool whole = false;      ///< a sample is what the model takes at once: it knows no batches
  bool exact = false;      ///< the model takes batches of exactly opened.batch_size
  std::jthread loading;    ///< of the model's runtime, perhaps still under way
  std::optional<Samples> part = {};  ///< that readers go over, as if there were no others (part.h);
                                     ///< absent: all
};

/// How many samples a run can look at: those of the part, where there is one.
std::uint64_t sample_count(const FittedData& data);

/// Whether the first extent of all inputs may be the number of samples. It is not where an input is
/// a scalar (a sampling rate), or where two are fixed and differ (a state beside the data).
bool takes_batches(const Model& model);

/// What the model's inputs want, for a model that takes no batches as if it took batches of one.
/// Throws Errc::unsupported for inputs that are no tensors.
std::vector<InputSpec> input_specs(const Model& model);

/// Opens the data for the model; its caveat, if it has one, becomes a note.
FittedData fit_data(const DataChoice& choice, const Model& model, Progress& progress);

/// Likewise, and with a second core the model's runtime is loaded from now on, and packed arrays
/// are unpacked while other things are done.
FittedData fit_data(const DataChoice& choice, const Model& model, const Session& session);

/// A reader over `count` samples (absent: all) from `first` on, both counted within the part of the
/// data, with this session's share of cores.
BatchReader make_reader(const FittedData& data, const Session& session,
                        std::optional<std::uint64_t> count = {}, std::uint64_t first = 0);

/// Throws Errc::usage where only the first of them is quantized: they are swapped.
void check_order(const Model& reference, const Model& quantized);

RunOptions run_options(const Session& session);

/// Tells which samples could not be read.
void report_skipped(const BatchReader& reader, Progress& progress);

/// Where the session's runs are kept. Throws as default_workspace does.
Workspace workspace_of(const Session& session);

/// A workload for this verb over these models, state wip. They are hashed; a verb about other files
/// has none, and a session with a name.
std::unique_ptr<WorkloadWriter> begin_workload(
    const Session& session, const std::string& verb,
    const std::vector<std::pair<ModelRole, const Model*>>& models);

/// Says in the workload what is measured over which samples; null where there are none.
void describe_data(WorkloadWriter& workload, const FittedData* samples,
                   const std::string& metric = {}, const FittedData* calibration = nullptr);

/// Runs `work` in this session, its progress recorded in the workload, whose id is told first and
/// which ends as success, or as failure with the message, which is thrown on.
void run_recorded(const Session& session, WorkloadWriter& workload,
                  const std::function<void(const Session&)>& work);

/// The model in newer operators, where it needs and has them; says what was done.
Model upgraded(Model model, Progress& progress);

/// Keys of a model's properties: constants in front of its ops are folded into them, and constants
/// behind what moves the elements of a result into the op that made it.
inline constexpr const char* kFoldedBeforeKey = "quantlens.folded_before";
inline constexpr const char* kFoldedThroughKey = "quantlens.folded_through";

/// The model in newer operators, with constants around its ops folded into them where that is exact
/// (quantizer/edit/fold_through.h, fold_before.h): what is calibrated and quantized. Says what was
/// done.
IndexedModel made_ready(Model model, const Session& session);

/// The same as far as it was done to the model that `quantized` was made from, as its properties
/// say or, where others made or changed it, its weights; nothing where none of it was.
std::optional<Model> made_ready_like(const Model& quantized, const Model& model,
                                     const Session& session);

/// SHA-256 of the reference's file, as the workload has it.
std::string reference_hash(const WorkloadWriter& workload);

/// A model's file as the record names it.
ModelFile model_file(ModelRole role, const Model& model);

}  // namespace quantlens::flow
