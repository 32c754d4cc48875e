// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/runtime/remote/client.h"
#include "quantlens/runtime/remote/give.h"
#include "quantlens/runtime/remote/messages.h"
#include "quantlens/runtime/remote/remote.h"
#include "quantlens/runtime/where.h"

namespace quantlens::remote {
namespace {

std::string samples_text(const std::vector<std::uint64_t>& samples) {
  if (samples.empty()) return "no sample";
  if (samples.size() == 1) return fmt::format("sample {}", samples[0]);
  return fmt::format("samples {} to {}", samples.front(), samples.back());
}

class RemoteRun final : public Run {
 public:
  RemoteRun(const Worker& worker, const Model& reference, const Model* quantized,
            const TapSpec& taps, const RunOptions& options);

  Outputs step(const Batch& batch) override;
  TapState take() override;
  const std::vector<NotTapped>& not_tapped() const override { return not_tapped_; }
  unsigned in_flight() const override { return in_flight_; }

 private:
  void learn(const SteppedText& stepped);

  std::string models_;
  std::atomic<std::uint64_t> steps_ = 0;
  std::atomic<unsigned> in_flight_ = 1;
  std::mutex mutex_;           // of what follows
  std::uint64_t settled_ = 0;  // steps that the worker had done when it told of what follows
  std::vector<NotTapped> not_tapped_;
  Client client_;
};

std::string models_text(const Model& reference, const Model* quantized) {
  if (quantized == nullptr) return where(reference);
  return fmt::format("{} with {}", where(reference), where(*quantized));
}

RemoteRun::RemoteRun(const Worker& worker, const Model& reference, const Model* quantized,
                     const TapSpec& taps, const RunOptions& options)
    : models_(models_text(reference, quantized)), client_(worker) {
  Message message;
  message.type = FrameType::open;
  OpenText text{.models = {}, .taps = taps, .options = options};
  text.options.isolation.reset();
  for (const Model* model : {&reference, quantized}) {
    if (model == nullptr) continue;
    text.models.push_back(give(*model, message.files));
  }
  message.text = text_of(text);
  const std::string doing = models_ + ": while it was opened";
  const auto opened =
      client_.ask(std::move(message), FrameType::opened, doing,
                  [](const Received& answer) { return message_from<OpenedText>(answer.text); });
  not_tapped_ = opened.not_tapped;
  in_flight_ = std::clamp(opened.in_flight, 1u, std::max(options.in_flight, 1u));
  client_.widen(in_flight_, doing);
}

/// Answers may come in another order than the worker gave them.
void RemoteRun::learn(const SteppedText& stepped) {
  const std::lock_guard lock(mutex_);
  in_flight_ = std::clamp(stepped.in_flight, 1u, in_flight_.load());
  if (!stepped.settled || stepped.steps < settled_) return;
  settled_ = stepped.steps;
  not_tapped_ = stepped.not_tapped;
}

Outputs RemoteRun::step(const Batch& batch) {
  const std::string doing =
      fmt::format("{}: in step {} ({})", models_, ++steps_, samples_text(batch.samples));
  Message message;
  message.type = FrameType::step;
  message.text = text_of(
      StepText{.samples = batch.samples, .inputs = add_tensors(batch.inputs, message.body)});
  return client_.ask(
      std::move(message), FrameType::stepped, doing, [this](const Received& stepped) {
        const auto text = message_from<SteppedText>(stepped.text);
        const Payload body = copy_of(stepped.body);  // the next step writes there again
        Outputs outputs{.reference = tensors_from(text.reference, body),
                        .quantized = tensors_from(text.quantized, body)};
        learn(text);
        return outputs;
      });
}

TapState RemoteRun::take() {
  const std::string doing =
      fmt::format("{}: after step {}, when its statistics were asked for", models_, steps_);
  Message message;
  message.type = FrameType::take;
  return client_.ask(std::move(message), FrameType::taken, doing, [](const Received& taken) {
    const Payload body = copy_of(taken.body);  // the worker cannot change it while it is judged
    return tap_state_from_bytes(
        {reinterpret_cast<const char*>(body.bytes.data()), body.bytes.size()}, "its statistics");
  });
}

}  // namespace

std::unique_ptr<Run> open(const Worker& worker, const Model& reference, const Model* quantized,
                          const TapSpec& taps, const RunOptions& options) {
  return std::make_unique<RemoteRun>(worker, reference, quantized, taps, options);
}

}  // namespace quantlens::remote
