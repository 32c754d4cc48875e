// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/runtime/remote/answer.h"
#include "quantlens/runtime/remote/client.h"
#include "quantlens/runtime/remote/give.h"
#include "quantlens/runtime/remote/model_text.h"
#include "quantlens/runtime/remote/remote.h"
#include "quantlens/stats/bytes.h"

namespace quantlens::remote {
namespace {

class RemoteTimedRun final : public TimedRun {
 public:
  RemoteTimedRun(std::shared_ptr<Client> client, const Model& model, const TimedOptions& options);
  RemoteTimedRun(const RemoteTimedRun&) = delete;
  RemoteTimedRun& operator=(const RemoteTimedRun&) = delete;
  ~RemoteTimedRun() override;

  std::size_t add(const Batch& batch) override;
  RunTime run(std::size_t number) override;
  TensorMap outputs(std::size_t number) override;
  const Graph& graph() const override { return graph_; }
  const ValueTypes& types() const override { return types_; }

 private:
  TimedBatchText batch(std::size_t number) const { return {.model = number_, .batch = number}; }
  void learn(const TimesText& text);
  void learn_nodes(Bytes body);

  std::shared_ptr<Client> client_;
  std::string where_;
  bool with_nodes_;
  std::uint64_t number_ = 0;
  std::uint64_t runs_ = 0;
  Graph graph_;
  ValueTypes types_;
  std::vector<std::uint64_t> nodes_;
};

RemoteTimedRun::RemoteTimedRun(std::shared_ptr<Client> client, const Model& model,
                               const TimedOptions& options)
    : client_(std::move(client)), where_(where(model)), with_nodes_(options.nodes) {
  std::vector<FileDescriptor> files;
  const OpenTimedText text{.model = give(model, files), .options = options};
  Message message = message_of(FrameType::open_timed, text);
  message.files = std::move(files);
  client_->ask(std::move(message), FrameType::opened_timed,
               where_ + ": while it was opened to be timed", [this](const Received& answer) {
                 const auto opened = message_from<OpenedTimedText>(answer.text);
                 graph_ = graph_from(opened.graph, memory_with(answer), {});
                 number_ = opened.model;
                 return 0;
               });
}

/// The worker may be gone: then so is the model.
RemoteTimedRun::~RemoteTimedRun() {
  try {
    client_->ask(message_of(FrameType::close_timed, batch(0)), FrameType::closed_timed,
                 where_ + ": when it was closed", [](const Received&) { return 0; });
  } catch (const Error&) {
    return;
  }
}

std::size_t RemoteTimedRun::add(const Batch& batch) {
  Body body;
  const AddText text{
      .model = number_, .samples = batch.samples, .inputs = add_tensors(batch.inputs, body)};
  Message message = message_of(FrameType::add, text);
  message.body = std::move(body);
  return client_->ask(
      std::move(message), FrameType::added, where_ + ": when it got a batch",
      [](const Received& answer) { return message_from<TimedBatchText>(answer.text).batch; });
}

RunTime RemoteTimedRun::run(std::size_t number) {
  const std::string doing = fmt::format("{}: in timed run {}", where_, ++runs_);
  return client_->ask(message_of(FrameType::time, batch(number)), FrameType::timed, doing,
                      [this](const Received& answer) {
                        const auto text = message_from<TimesText>(answer.text);
                        learn_nodes(answer.body.bytes);
                        learn(text);
                        return RunTime{.whole = text.whole, .nodes = nodes_};
                      });
}

void RemoteTimedRun::learn(const TimesText& text) {
  for (const TypeText& type : text.types) {
    types_.insert_or_assign(type.name, TensorType{type.dtype, type.shape});
  }
}

void RemoteTimedRun::learn_nodes(Bytes body) {
  std::string_view bytes(reinterpret_cast<const char*>(body.data()), body.size());
  const std::size_t nodes = with_nodes_ ? graph_.nodes.size() : 0;
  if (bytes.size() != nodes * sizeof(std::uint64_t)) {
    throw Error(Errc::bad_input, "its times are not those of the graph's nodes");
  }
  nodes_.clear();
  for (std::size_t i = 0; i < nodes; ++i) nodes_.push_back(take_u64(bytes));
}

TensorMap RemoteTimedRun::outputs(std::size_t number) {
  return client_->ask(message_of(FrameType::ask_outputs, batch(number)), FrameType::outputs,
                      where_ + ": when its outputs were asked for", [](const Received& answer) {
                        const auto text = message_from<OutputsText>(answer.text);
                        return tensors_from(text.outputs, copy_of(answer.body));
                      });
}

}  // namespace

std::unique_ptr<TimedRun> open_timed(std::shared_ptr<Client> client, const Model& model,
                                     const TimedOptions& options) {
  return std::make_unique<RemoteTimedRun>(std::move(client), model, options);
}

}  // namespace quantlens::remote
