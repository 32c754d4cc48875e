// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/base/phases.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/graph/order.h"
#include "quantlens/runtime/accumulators.h"
#include "quantlens/runtime/inputs.h"
#include "quantlens/runtime/onnxruntime/insert_taps.h"
#include "quantlens/runtime/onnxruntime/library.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/onnxruntime/session.h"
#include "quantlens/runtime/onnxruntime/tap_ops.h"
#include "quantlens/runtime/step_room.h"
#include "quantlens/runtime/where.h"

namespace quantlens::onnxruntime {
namespace {

/// Adds the weights that the runtime reads where they are, by their names in the file. Not the
/// unused ones: it drops those first, and then misses them.
void add_weights(const Model& model, const std::string& prefix, SessionModel& out) {
  std::map<std::string_view, const Tensor*> large;  // an index of all values takes longer to make
  for (const auto& [name, weight] : model.graph.weights) {
    if (is_outside(weight)) large.emplace(name, &weight);
  }
  if (large.empty()) return;
  const auto use = [&](const std::string& name) {
    const auto found = large.find(name);
    if (found == large.end()) return;
    out.weights.emplace(prefix + name, *found->second);
    large.erase(found);
  };
  for (const Node& node : model.graph.nodes) {
    std::ranges::for_each(node.inputs, use);
    if (!node.subgraphs.empty()) std::ranges::for_each(captured_values(node), use);
  }
  for (const ValueInfo& output : model.graph.outputs) use(output.name);
}

onnx::WriteOptions write_options(const SessionModel& model) {
  return {.outside = [&model](const std::string& name, const Tensor&) {
    return model.weights.contains(name);
  }};
}

// Of more bytes than this in files beside the model, the runtime maps the files itself. Then it
// copies nothing, and multiplies a little slower; weights handed over in memory it copies.
constexpr std::uint64_t kMostCopiedBytes = std::uint64_t{256} << 20U;

bool lies_beside(const Model& model, const Tensor& weight) {
  const Bytes file = model.file.bytes();
  return weight.dtype() != DType::string && !weight.bytes().empty() &&
         (std::less<>()(weight.bytes().data(), file.data()) ||
          !std::less<>()(weight.bytes().data(), file.data() + file.size()));
}

std::uint64_t bytes_beside(const Model& model) {
  std::uint64_t sum = 0;
  for (const auto& [name, weight] : model.graph.weights) {
    if (lies_beside(model, weight)) sum += weight.bytes().size();
  }
  return sum;
}

SessionModel write_one(const Model& model, const onnx::Edit& edit) {
  SessionModel out{.bytes = {}, .weights = {}, .where = where(model), .data_folder = {}};
  const bool maps = bytes_beside(model) > kMostCopiedBytes;
  if (maps) {
    out.data_folder = model.path.parent_path();
    if (out.data_folder.empty()) out.data_folder = ".";
  } else {
    add_weights(model, "", out);
  }
  onnx::WriteOptions options = write_options(out);
  options.keep_external = maps;
  onnx::write(model, edit, options, [&](Bytes bytes) {
    out.bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return out;
}

/// A prefix that no name of the graph has.
std::string free_prefix(const Graph& graph) {
  std::string prefix = "quantized/";
  const auto taken = [&](const std::string& name) { return name.starts_with(prefix); };
  const auto taken_in = [&](const Node& node) {
    return std::ranges::any_of(node.outputs, taken) || std::ranges::any_of(node.inputs, taken);
  };
  while (std::ranges::any_of(graph.nodes, taken_in)) prefix.insert(prefix.size() - 1, "_");
  return prefix;
}

SessionModel write_merged(const Model& reference, const Model& quantized, const TapEdits& edits,
                          const std::string& prefix) {
  SessionModel out{.bytes = {},
                   .weights = {},
                   .where = fmt::format("{} with {}", where(reference), where(quantized)),
                   .data_folder = {}};
  add_weights(reference, "", out);
  add_weights(quantized, prefix, out);
  out.bytes = onnx::merge(reference, edits.reference, quantized, edits.quantized, prefix,
                          write_options(out));
  return out;
}

class OnnxRun final : public Run {
 public:
  OnnxRun(const Model& reference, const Model* quantized, const TapSpec& spec,
          const RunOptions& options);

  Outputs step(const Batch& batch) override;
  TapState take() override { return accumulators_.take(); }
  const std::vector<NotTapped>& not_tapped() const override { return accumulators_.not_tapped(); }
  unsigned in_flight() const override { return room_.in_flight(); }

 private:
  bool open_merged(const TapEdits& edits, const SessionOptions& options);
  void open_apart(const TapEdits& edits, const SessionOptions& options, unsigned threads);

  const Model& reference_;
  const Model* quantized_;
  Accumulators accumulators_;
  StepRoom room_;
  TapOps taps_;
  std::string prefix_;  // of the quantized model's names in a merged one; empty: not merged
  std::unique_ptr<LoadedModel> session_;
  std::unique_ptr<LoadedModel> quantized_session_;  // null: none, or merged
};

OnnxRun::OnnxRun(const Model& reference, const Model* quantized, const TapSpec& spec,
                 const RunOptions& options)
    : reference_(reference),
      quantized_(quantized),
      accumulators_(spec),
      room_(std::min(options.in_flight, options.threads)) {
  check_inputs(reference, quantized);
  const unsigned threads_inside = std::max(options.threads, 1u) / room_.in_flight();
  const SessionOptions session_options{.threads = threads_inside,
                                       .optimized_dump = options.optimized_dump,
                                       .alone = quantized == nullptr,
                                       .phases = options.watch.phases,
                                       .stop_requested = options.watch.stop_requested};
  const bool may_merge = !options.apart || spec.local;
  Placement placement{.together = may_merge ? Together::merged : Together::apart,
                      .group = threads_inside};
  TapEdits edits = insert_taps(reference, quantized, spec, placement);
  for (const auto& [slot, reason] : edits.dropped_taps) accumulators_.drop_tap(slot, reason);
  for (const auto& [slot, reason] : edits.dropped_pairs) accumulators_.drop_pair(slot, reason);
  for (const std::size_t slot : edits.channels_last) accumulators_.show_channels_last(slot);
  if (edits.has_pairs && may_merge) {
    if (open_merged(edits, session_options)) return;
    if (spec.local) {
      throw Error(Errc::unsupported,
                  fmt::format("{} and {} cannot run as one model, which local errors need",
                              where(reference), where(*quantized)));
    }
    placement.together = Together::apart;
    edits = insert_taps(reference, quantized, spec, placement);
  }
  open_apart(edits, session_options, options.threads);
}

/// False where one model cannot hold both, e.g. for unequal opsets: apart they give the same
/// figures.
bool OnnxRun::open_merged(const TapEdits& edits, const SessionOptions& options) {
  const std::string prefix = free_prefix(reference_.graph);
  try {
    session_ = std::make_unique<LoadedModel>(write_merged(reference_, *quantized_, edits, prefix),
                                             options, taps_);
  } catch (const Error& error) {
    if (error.code() != Errc::unsupported && error.code() != Errc::bad_input) throw;
    return false;  // where a model itself is to blame, running apart says which
  }
  prefix_ = prefix;
  return true;
}

/// Both models at once where there are two threads: the runtime loads a model on one.
void OnnxRun::open_apart(const TapEdits& edits, const SessionOptions& options, unsigned threads) {
  std::vector<SessionModel> files;
  files.push_back(write_one(reference_, edits.reference));
  if (quantized_ != nullptr) files.push_back(write_one(*quantized_, edits.quantized));
  const Phase loading(options.phases, kLoading);
  Cores(std::min(threads, 2U)).parallel_for(files.size(), [&](std::size_t i) {
    SessionOptions own = options;
    own.phases = nullptr;  // they are for one thread
    if (i > 0 && !own.optimized_dump.empty()) own.optimized_dump += ".quantized";
    (i == 0 ? session_ : quantized_session_) =
        std::make_unique<LoadedModel>(std::move(files[i]), own, taps_);
  });
}

Outputs OnnxRun::step(const Batch& batch) {
  const NamedTensors inputs = inputs_for(reference_, reference_, batch);
  NamedTensors quantized_inputs;
  if (quantized_ != nullptr) quantized_inputs = inputs_for(*quantized_, reference_, batch);

  const StepRoom::Measure measure(room_);
  Accumulators::Step step = accumulators_.begin(batch.samples);
  TapOps::Call taps(taps_, step);
  Outputs outputs;
  const auto run = [&](LoadedModel& session, const NamedTensors& given) {
    return run_with(taps.errors(), [&] { return session.run(given); });
  };
  std::vector<Tensor> tensors = run(*session_, inputs);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string& name = session_->output_names()[i];
    if (!prefix_.empty() && name.starts_with(prefix_)) {
      outputs.quantized.emplace(name.substr(prefix_.size()), std::move(tensors[i]));
    } else {
      outputs.reference.emplace(name, std::move(tensors[i]));
    }
  }
  if (quantized_session_) {
    tensors = run(*quantized_session_, quantized_inputs);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      outputs.quantized.emplace(quantized_session_->output_names()[i], std::move(tensors[i]));
    }
  }
  step.end();
  return outputs;
}

}  // namespace

std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options) {
  require_library();
  return std::make_unique<OnnxRun>(reference, quantized, taps, options);
}

RuntimeStatus status() {
  const Library& found = library();
  return {.name = "onnxruntime",
          .available = found.api != nullptr,
          .version = found.version,
          .where = found.path,
          .problem = found.problem};
}

void load() {
  library();
}

}  // namespace quantlens::onnxruntime
