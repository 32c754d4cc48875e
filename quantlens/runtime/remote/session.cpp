// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/session.h"

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/graph/cut.h"
#include "quantlens/runtime/remote/model_text.h"
#include "quantlens/runtime/remote/patch_text.h"
#include "quantlens/runtime/remote/plan_text.h"
#include "quantlens/runtime/remote/sealed_store.h"

namespace quantlens::remote {
namespace {

/// The bytes of a model that is at its path, or in open file number `number` of the request; of a
/// folder none.
MappedFile given_file(const ModelFileText& text, const Received& request, std::size_t number) {
  std::error_code ignored;
  if (!text.attached) {
    return fs::is_directory(text.path, ignored) ? MappedFile() : MappedFile::open(text.path);
  }
  if (number >= request.files.size()) {
    throw Error(Errc::usage, "a model's file does not come with the frame");
  }
  return MappedFile::open(fmt::format("/proc/self/fd/{}", request.files[number].get()));
}

/// Whether a graph begins and ends there by itself.
bool has_ends(const Graph& graph, const Ends& ends) {
  const auto same = [](const std::vector<ValueInfo>& values,
                       const std::vector<std::string>& names) {
    return std::ranges::equal(values, names, {}, &ValueInfo::name);
  };
  return same(graph.inputs, ends.inputs) && same(graph.outputs, ends.outputs);
}

/// The files of a result, itself last, as their names differ from its path.
Answer written(FrameType type, SealedStore& store, const fs::path& path,
               std::vector<std::string> notes) {
  if (store.files().size() > kMostFiles) {
    throw Error(Errc::unsupported, "the result is of more files than a frame can have");
  }
  AppliedText text{.notes = std::move(notes), .files = {}};
  Answer answer;
  const auto add = [&](SealedStore::Written& written, std::string suffix) {
    text.files.push_back({.suffix = std::move(suffix), .bytes = written.bytes});
    answer.message.files.push_back(std::move(written.file));
  };
  for (auto& [name, written] : store.files()) {
    if (name != path) add(written, name.native().substr(path.native().size()));
  }
  add(store.files().at(path), "");
  answer.message.type = type;
  answer.message.text = text_of(text);
  return answer;
}

}  // namespace

Message error_message(const Error& error) {
  return message_of(FrameType::error, ErrorText{.code = error.code(), .sentence = error.what()});
}

struct Stepping::Count {
  explicit Count(Stepping& stepping) : of(stepping) { change(1); }
  ~Count() { change(-1); }
  Count(const Count&) = delete;
  Count& operator=(const Count&) = delete;
  void change(int by) {
    const std::lock_guard lock(of.mutex_);
    of.under_way_ += by;
  }
  Stepping& of;
};

Outputs Stepping::step(Run& run, const Batch& batch, SteppedText& done) {
  const Count count(*this);
  Outputs outputs = run.step(batch);
  const std::lock_guard lock(mutex_);
  done.steps = ++done_;
  done.in_flight = run.in_flight();
  done.settled = under_way_ == 1;
  if (done.settled) done.not_tapped = run.not_tapped();
  return outputs;
}

Answer WorkerSession::answer(const Received& request) {
  const auto failed = [](const Error& error) { return Answer{.message = error_message(error)}; };
  try {
    return judged(request);
  } catch (const Error& error) {
    return failed(error);
  } catch (const std::bad_alloc&) {
    return failed({Errc::failed,
                   "out of memory; use fewer --threads, a smaller "
                   "--batch-size or a larger machine"});
  } catch (const std::exception& error) {
    return failed({Errc::failed, fmt::format("unexpected: {}; please report this with the "
                                             "command line",
                                             printable(error.what()))});
  }
}

Answer WorkerSession::judged(const Received& request) {
  if (request.header.type == FrameType::step) return step(request);
  const std::lock_guard lock(alone_);
  return answer_alone(request);
}

Answer WorkerSession::answer_alone(const Received& request) {
  switch (request.header.type) {
    case FrameType::open:
      return open(request);
    case FrameType::take:
      return take();
    case FrameType::status:
      return status();
    case FrameType::read:
      return read(request);
    case FrameType::apply:
      return apply(request);
    case FrameType::patch:
      return patch(request);
    case FrameType::open_timed: {
      if (runtime_.open_timed == nullptr) {
        throw Error(Errc::unsupported, fmt::format("{} takes no times", runtime_.name));
      }
      const auto text = message_from<OpenTimedText>(request.text);
      return timed_.open(read_given(text.model, given_file(text.model, request, 0)), text.options,
                         runtime_.open_timed);
    }
    case FrameType::add:
      return timed_.add(request);
    case FrameType::time:
      return timed_.time(request);
    case FrameType::ask_outputs:
      return timed_.outputs(request);
    case FrameType::close_timed:
      return timed_.close(request);
    default:
      throw Error(Errc::usage, "a worker does not answer frames of this type");
  }
}

Model WorkerSession::read_given(const ModelFileText& text, const MappedFile& file) const {
  if (std::ranges::find(runtime_.formats, text.format) == runtime_.formats.end()) {
    throw Error(Errc::unsupported, fmt::format("{} does not read the format '{}'", runtime_.name,
                                               printable(text.format)));
  }
  Model model = runtime_.read(text.path, file);
  if (!runtime_.cuts) return model;
  const Ends ends{.inputs = text.inputs, .outputs = text.outputs};
  if (!has_ends(model.graph, ends)) model.graph = cut(model.graph, ends);
  return model;
}

Answer WorkerSession::open(const Received& request) {
  if (run_) throw Error(Errc::usage, "a worker opens models only once");
  const auto text = message_from<OpenText>(request.text);
  constexpr std::size_t kMostModels = 2;
  if (text.models.empty() || text.models.size() > kMostModels) {
    throw Error(Errc::usage, "a worker opens one model or two");
  }
  models_.clear();
  models_.reserve(kMostModels);  // the Run refers to them
  std::size_t attached = 0;
  for (const ModelFileText& model : text.models) {
    models_.push_back(read_given(model, given_file(model, request, attached)));
    if (model.attached) ++attached;
  }
  const Model* quantized = models_.size() > 1 ? &models_[1] : nullptr;
  run_ = runtime_.open(models_[0], quantized, text.taps, text.options);
  return {.message = message_of(FrameType::opened, OpenedText{.not_tapped = run_->not_tapped(),
                                                              .in_flight = run_->in_flight()})};
}

Answer WorkerSession::step(const Received& request) {
  const auto text = message_from<StepText>(request.text);
  Batch batch;
  batch.samples = text.samples;
  batch.inputs = tensors_from(text.inputs, request.body);
  batch.labels.resize(batch.samples.size());
  SteppedText stepped;
  Outputs outputs = stepping_.step(opened(), batch, stepped);
  Answer answer;
  answer.held.push_back(std::move(outputs.reference));
  answer.held.push_back(std::move(outputs.quantized));
  answer.message.type = FrameType::stepped;
  stepped.reference = add_tensors(answer.held[0], answer.message.body);
  stepped.quantized = add_tensors(answer.held[1], answer.message.body);
  answer.message.text = text_of(stepped);
  return answer;
}

Answer WorkerSession::take() {
  Answer answer;
  answer.message.type = FrameType::taken;
  answer.message.text = "{}";
  answer.message.body.add_owned(to_bytes(opened().take()));
  return answer;
}

Answer WorkerSession::status() const {
  const RuntimeStatus of = runtime_.status();
  return {.message =
              message_of(FrameType::status_told,
                         StatusText{.runtime = std::string(runtime_.name),
                                    .version = of.version,
                                    .where = of.where,
                                    .problem = of.problem,
                                    .formats = {runtime_.formats.begin(), runtime_.formats.end()},
                                    .applies = runtime_.apply != nullptr,
                                    .patches = runtime_.write_patched != nullptr,
                                    .times = runtime_.open_timed != nullptr})};
}

Answer WorkerSession::read(const Received& request) const {
  const auto text = message_from<ModelFileText>(request.text);
  const MappedFile file = given_file(text, request, 0);
  const Model model = read_given(text, file);
  Body memory;
  Answer answer{.message =
                    message_of(FrameType::read_done, text_from(model, file.bytes(), memory))};
  if (memory.size() > 0) answer.message.files.push_back(file_of(memory));
  return answer;
}

Answer WorkerSession::apply(const Received& request) const {
  if (runtime_.apply == nullptr) {
    throw Error(Errc::unsupported, fmt::format("{} writes no models", runtime_.name));
  }
  const auto text = message_from<ApplyText>(request.text);
  const Model model = read_given(text.model, given_file(text.model, request, 0));
  SealedStore store;
  const auto notes = runtime_.apply(model, plan_from(text.plan, request.body),
                                    map_from(text.metadata), store, text.path);
  return written(FrameType::applied, store, text.path, notes);
}

Answer WorkerSession::patch(const Received& request) const {
  if (runtime_.write_patched == nullptr) {
    throw Error(Errc::unsupported, fmt::format("{} patches no models", runtime_.name));
  }
  const auto text = message_from<PatchText>(request.text);
  const Model model = read_given(text.model, given_file(text.model, request, 0));
  SealedStore store;
  runtime_.write_patched(model, patch_from(text, request.body), store, text.path);
  return written(FrameType::patched, store, text.path, {});
}

Run& WorkerSession::opened() const {
  if (!run_) throw Error(Errc::usage, "nothing is open in this worker");
  return *run_;
}

}  // namespace quantlens::remote
