// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/timed_models.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/remote/model_text.h"
#include "quantlens/stats/bytes.h"

namespace quantlens::remote {
namespace {

std::vector<TypeText> types_of(const TimedRun& run) {
  std::vector<TypeText> types;
  for (const auto& [name, type] : run.types()) types.push_back({name, type.dtype, type.shape});
  return types;
}

}  // namespace

TimedModels::Timed& TimedModels::timed(std::uint64_t model) {
  const auto found = timed_.find(model);
  if (found == timed_.end()) {
    throw Error(Errc::usage, fmt::format("no timed model of this worker has number {}", model));
  }
  return found->second;
}

TimedModels::Timed& TimedModels::with_batch(const TimedBatchText& text) {
  Timed& found = timed(text.model);
  if (text.batch >= found.batches) {
    throw Error(Errc::usage, fmt::format("the timed model has no batch {}", text.batch));
  }
  return found;
}

Answer TimedModels::open(Model model, const TimedOptions& options, Opener opener) {
  const std::uint64_t number = ++opened_;
  Timed& opened = timed_[number];
  opened.model = std::move(model);
  try {
    opened.run = opener(opened.model, options);
  } catch (...) {
    timed_.erase(number);
    throw;
  }
  Body memory;
  const OpenedTimedText text{.model = number, .graph = text_from(opened.run->graph(), {}, memory)};
  opened.graph_told = !opened.run->graph().nodes.empty();
  Message message = message_of(FrameType::opened_timed, text);
  if (memory.size() > 0) message.files.push_back(file_of(memory));
  return {.message = std::move(message)};
}

Answer TimedModels::add(const Received& request) {
  const auto text = message_from<AddText>(request.text);
  Timed& to = timed(text.model);
  Batch batch;
  batch.samples = text.samples;
  batch.labels.resize(batch.samples.size());
  batch.inputs = tensors_from(text.inputs, copy_of(request.body));  // what came is written over
  const std::size_t number = to.run->add(batch);
  ++to.batches;
  AddedText added{.model = text.model, .batch = number, .graph = {}};
  Body memory;
  if (!to.graph_told && !to.run->graph().nodes.empty()) {
    added.graph = text_from(to.run->graph(), {}, memory);
    to.graph_told = true;
  }
  Message message = message_of(FrameType::added, added);
  if (memory.size() > 0) message.files.push_back(file_of(memory));
  return {.message = std::move(message)};
}

Answer TimedModels::time(const Received& request) {
  const auto text = message_from<TimeText>(request.text);
  std::vector<std::pair<Timed*, std::size_t>> turns;
  std::size_t numbers = 0;
  for (const TimedBatchText& turn : text.turns) {
    Timed& of = with_batch(turn);
    turns.emplace_back(&of, turn.batch);
    numbers += 1 + of.run->graph().nodes.size();
  }
  std::vector<std::uint64_t> times;
  times.reserve(numbers);  // nothing is done between two runs but this
  for (const auto& [of, batch] : turns) {
    const RunTime time = of->run->run(batch);
    times.push_back(time.whole);
    times.insert(times.end(), time.nodes.begin(), time.nodes.end());
  }
  TimesText answered;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    Timed& of = *turns[i].first;
    if (std::exchange(of.types_told, true)) continue;
    answered.types.push_back({.model = text.turns[i].model, .types = types_of(*of.run)});
  }
  Answer answer{.message = message_of(FrameType::timed, answered)};
  std::string bytes;
  bytes.reserve(times.size() * sizeof(std::uint64_t));
  for (const std::uint64_t ns : times) append_u64(bytes, ns);
  answer.message.body.add_owned(std::move(bytes));
  return answer;
}

Answer TimedModels::outputs(const Received& request) {
  const auto text = message_from<TimedBatchText>(request.text);
  Answer answer;
  answer.held.push_back(with_batch(text).run->outputs(text.batch));
  Body body;
  const OutputsText outputs{.outputs = add_tensors(answer.held.back(), body)};
  answer.message = message_of(FrameType::outputs, outputs);
  answer.message.body = std::move(body);
  return answer;
}

Answer TimedModels::close(const Received& request) {
  timed_.erase(message_from<TimedBatchText>(request.text).model);
  return {.message = message_of(FrameType::closed_timed, TimedBatchText())};
}

}  // namespace quantlens::remote
