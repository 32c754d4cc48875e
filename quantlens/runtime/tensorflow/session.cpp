// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/session.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/tensorflow/library.h"
#include "quantlens/runtime/tensorflow/result.h"

namespace quantlens::tensorflow {
namespace {

/// A ConfigProto: a run's ops go on the calling thread, one after the other, and `threads` work
/// within each; what the file says of devices is a wish.
std::string config(unsigned threads) {
  constexpr std::uint32_t kThreadsWithin = 2, kThreadsBetween = 5, kSoftPlacement = 7, kOwn = 9;
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_int32(kThreadsWithin, static_cast<std::int32_t>(std::max(threads, 1U)));
  writer.add_int32(kThreadsBetween, -1);
  writer.add_bool(kSoftPlacement, true);
  writer.add_bool(kOwn, true);
  return bytes;
}

}  // namespace

ImportedGraph::ImportedGraph(Bytes bytes, std::string where)
    : api_(tensorflow::api()),
      where_(std::move(where)),
      graph_(api_.new_graph(), api_.delete_graph) {
  const BufferPtr buffer(api_.new_buffer(bytes.data(), bytes.size()), api_.delete_buffer);
  const std::unique_ptr<ImportOptions, void (*)(ImportOptions*)> options(
      api_.new_import_options(), api_.delete_import_options);
  Result result(api_);
  api_.import_graph(graph_.get(), buffer.get(), options.get(), result.get());
  if (result.is_ok()) return;
  throw Error(Errc::bad_input,
              fmt::format("{}: TensorFlow refuses the graph: {}", where_, result.reason()));
}

Operation* ImportedGraph::operation(const std::string& name) const {
  return api_.find_operation(graph_.get(), name.c_str());
}

ValueHandle ImportedGraph::value(const std::string& name) const {
  std::string node = name;
  int number = 0;
  if (const std::size_t colon = name.rfind(':'); colon != std::string::npos) {
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, number);
    if (error == std::errc() && stop == end) node.resize(colon);
  }
  Operation* const found = operation(node);
  if (found == nullptr || number < 0 || number >= api_.output_count(found)) {
    throw Error(Errc::bad_input,
                fmt::format("{}: TensorFlow has no value '{}' in the graph, which is inside of a "
                            "function's call; name another one with --inputs or --outputs",
                            where_, printable(name)));
  }
  return {found, number};
}

SessionModel session_model(const Model& model) {
  SessionModel wanted;
  for (const ValueInfo& input : model.graph.inputs) wanted.inputs.push_back(input.name);
  for (const ValueInfo& output : model.graph.outputs) wanted.outputs.push_back(output.name);
  return wanted;
}

LoadedGraph::LoadedGraph(ImportedGraph graph, const SessionModel& model, unsigned threads)
    : graph_(std::move(graph)), api_(graph_.api()) {
  const Cores startable(threads);  // TensorFlow would end the process where there are too many
  for (const std::string& name : model.inputs) {
    inputs_.push_back(graph_.value(name));
    input_types_.push_back(api_.output_type(inputs_.back()));
  }
  if (!model.number.empty()) inputs_.push_back(graph_.value(model.number));
  for (const std::string& name : model.targets) targets_.push_back(graph_.operation(name));
  for (const std::string& name : model.outputs) {
    const ValueHandle value = graph_.value(name);
    if (!dtype_of(api_.output_type(value))) continue;
    output_names_.push_back(name);
    outputs_.push_back(value);
  }
  if (outputs_.empty()) {
    throw Error(Errc::unsupported,
                fmt::format("{}: no output is a tensor of a known type; name others with --outputs",
                            graph_.where()));
  }
  start(threads);
}

LoadedGraph::~LoadedGraph() {
  if (session_ == nullptr) return;
  Result ignored(api_);
  api_.close_session(session_, ignored.get());
  api_.delete_session(session_, ignored.get());
}

void LoadedGraph::start(unsigned threads) {
  const std::unique_ptr<SessionConfig, void (*)(SessionConfig*)> options(
      api_.new_session_options(), api_.delete_session_options);
  const std::string bytes = config(threads);
  Result result(api_);
  api_.set_config(options.get(), bytes.data(), bytes.size(), result.get());
  if (result.is_ok()) session_ = api_.new_session(graph_.get(), options.get(), result.get());
  if (result.is_ok()) return;
  throw Error(Errc::failed,
              fmt::format("{}: TensorFlow makes no session: {}", graph_.where(), result.reason()));
}

Fed LoadedGraph::feed(const NamedTensors& inputs) const {
  Fed fed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& [name, tensor] = inputs[i];
    if (dtype_of(input_types_.at(i)) != tensor.dtype()) {
      throw Error(Errc::bad_input,
                  fmt::format("{}: input '{}' is no {} to TensorFlow; convert the data",
                              graph_.where(), printable(name), quantlens::name(tensor.dtype())));
    }
    fed.held.push_back(handle_of(api_, tensor, input_types_[i]));
    fed.tensors.push_back(fed.held.back().get());
  }
  return fed;
}

std::vector<TensorPtr> LoadedGraph::run(const Fed& fed, TensorHandle* number,
                                        const Trace& trace) const {
  std::vector<TensorHandle*> given = fed.tensors;
  if (inputs_.size() > given.size()) given.push_back(number);
  std::vector<TensorHandle*> made(outputs_.size(), nullptr);
  Result result(api_);
  api_.run(session_, trace.wanted, inputs_.data(), given.data(), static_cast<int>(given.size()),
           outputs_.data(), made.data(), static_cast<int>(made.size()), targets_.data(),
           static_cast<int>(targets_.size()), trace.told, result.get());
  std::vector<TensorPtr> outputs;
  for (TensorHandle* one : made) {
    if (one != nullptr) outputs.emplace_back(one, api_.delete_tensor);
  }
  if (!result.is_ok() || outputs.size() != made.size()) {
    throw Error(Errc::failed,
                fmt::format("{}: TensorFlow fails: {}", graph_.where(), result.reason()));
  }
  return outputs;
}

TensorMap LoadedGraph::outputs(const Fed& fed, TensorHandle* number, const Trace& trace) const {
  TensorMap outputs;
  std::vector<TensorPtr> made = run(fed, number, trace);
  for (std::size_t i = 0; i < made.size(); ++i) {
    outputs.emplace(output_names_[i], tensor_of(api_, std::move(made[i])));
  }
  return outputs;
}

}  // namespace quantlens::tensorflow
