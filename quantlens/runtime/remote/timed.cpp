// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
#include "quantlens/runtime/where.h"
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
  friend class Together;
  TimedBatchText batch(std::size_t number) const { return {.model = number_, .batch = number}; }

  std::shared_ptr<Client> client_;
  std::string where_;
  std::uint64_t number_ = 0;
  std::uint64_t runs_ = 0;
  Graph graph_;
  ValueTypes types_;
  std::vector<std::uint64_t> nodes_;
};

RemoteTimedRun::RemoteTimedRun(std::shared_ptr<Client> client, const Model& model,
                               const TimedOptions& options)
    : client_(std::move(client)), where_(where(model)) {
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
  return client_->ask(std::move(message), FrameType::added, where_ + ": when it got a batch",
                      [this](const Received& answer) {
                        const auto added = message_from<AddedText>(answer.text);
                        if (added.graph) graph_ = graph_from(*added.graph, memory_with(answer), {});
                        return added.batch;
                      });
}

RunTime RemoteTimedRun::run(std::size_t number) {
  const Turn turn{.model = this, .batch = number};
  RunTime only;
  run_together({&turn, 1}, [&](std::size_t, const RunTime& time) {
    nodes_.assign(time.nodes.begin(), time.nodes.end());
    only = {.whole = time.whole, .nodes = nodes_};
  });
  return only;
}

TensorMap RemoteTimedRun::outputs(std::size_t number) {
  return client_->ask(message_of(FrameType::ask_outputs, batch(number)), FrameType::outputs,
                      where_ + ": when its outputs were asked for", [](const Received& answer) {
                        const auto text = message_from<OutputsText>(answer.text);
                        return tensors_from(text.outputs, copy_of(answer.body));
                      });
}

/// Runs of models of one worker, which are one question.
class Together {
 public:
  /// Nothing where they are not of one worker.
  static std::optional<Together> of(std::span<const Turn> turns) {
    Together together;
    for (const Turn& turn : turns) {
      auto* model = dynamic_cast<RemoteTimedRun*>(turn.model);
      if (model == nullptr) return std::nullopt;
      together.models_.push_back(model);
      together.text_.turns.push_back(model->batch(turn.batch));
      if (model->client_ != together.models_.front()->client_) return std::nullopt;
    }
    if (turns.empty()) return std::nullopt;
    return together;
  }

  void run(const Seen& seen) {
    RemoteTimedRun& first = *models_.front();
    const std::string doing = sentence();
    for (RemoteTimedRun* model : models_) ++model->runs_;
    const std::vector<std::uint64_t> times =
        first.client_->ask(message_of(FrameType::time, text_), FrameType::timed, doing,
                           [this](const Received& answer) {
                             learn(message_from<TimesText>(answer.text));
                             return times_from(answer.body.bytes);
                           });
    std::span<const std::uint64_t> left = times;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const std::size_t nodes = models_[i]->graph_.nodes.size();
      seen(i, RunTime{.whole = left[0], .nodes = left.subspan(1, nodes)});
      left = left.subspan(1 + nodes);
    }
  }

 private:
  /// "a.onnx with b.onnx: in timed runs 21 to 36"; the numbers are those of the first model's runs.
  std::string sentence() const {
    const RemoteTimedRun& first = *models_.front();
    std::string names = first.where_;
    for (const RemoteTimedRun* model : models_) {
      if (model->where_ == first.where_) continue;
      names += " with " + model->where_;
      break;
    }
    const auto runs = static_cast<std::uint64_t>(std::ranges::count(models_, &first));
    if (runs == 1) return fmt::format("{}: in timed run {}", names, first.runs_ + 1);
    return fmt::format("{}: in timed runs {} to {}", names, first.runs_ + 1, first.runs_ + runs);
  }

  void learn(const TimesText& text) const {
    for (const ModelTypesText& of : text.types) {
      const auto found = std::ranges::find(models_, of.model, &RemoteTimedRun::number_);
      if (found == models_.end()) throw Error(Errc::bad_input, "its types are of another model");
      for (const TypeText& type : of.types) {
        (*found)->types_.insert_or_assign(type.name, TensorType{type.dtype, type.shape});
      }
    }
  }

  std::vector<std::uint64_t> times_from(Bytes body) const {
    std::size_t count = 0;
    for (const RemoteTimedRun* model : models_) count += 1 + model->graph_.nodes.size();
    std::string_view bytes(reinterpret_cast<const char*>(body.data()), body.size());
    if (bytes.size() != count * sizeof(std::uint64_t)) {
      throw Error(Errc::bad_input, "its times are not those of the graphs' nodes");
    }
    std::vector<std::uint64_t> times(count);
    for (std::uint64_t& time : times) time = take_u64(bytes);
    return times;
  }

  std::vector<RemoteTimedRun*> models_;
  TimeText text_;
};

}  // namespace

bool run_together(std::span<const Turn> turns, const Seen& seen) {
  std::optional<Together> together = Together::of(turns);
  if (together) together->run(seen);
  return together.has_value();
}

std::unique_ptr<TimedRun> open_timed(std::shared_ptr<Client> worker, const Model& model,
                                     const TimedOptions& options) {
  return std::make_unique<RemoteTimedRun>(std::move(worker), model, options);
}

}  // namespace quantlens::remote
