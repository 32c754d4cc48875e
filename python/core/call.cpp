// SPDX-License-Identifier: Apache-2.0
#include "python/core/call.h"

#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include "quantlens/base/text.h"
#include "quantlens/flow/steps/models/destination.h"

namespace quantlens::python {

EventFiles::EventFiles(const Asked& asked)
    : wanted_(asked.has("tensorboard")),
      names_tags_(asked.has("tensorboard_tags")),
      has_accuracies_(asked.has("metric")) {
  const auto folder = asked.get<std::string>("tensorboard");
  if (!folder.empty()) options_.logdir = folder;
  options_.option = "--tensorboard=DIR";
  asked.set("tensorboard_tags", options_.tags);
}

void EventFiles::check(Store& store) const {
  flow::check_tags(names_tags_, wanted_);
  if (wanted_) flow::check_events_folder(store, options_, has_accuracies_);
}

void EventFiles::write(Store& store, const fs::path& workload, Progress& progress) const {
  if (!wanted_) return;
  const Workspace workspace(store, workload.parent_path().parent_path());
  flow::tensorboard(store, workspace, workload.filename().string(), options_, progress);
}

Call::Call(const Asked& asked) : work_(asked.work()), called_(called_back(*work_)) {
  asked.set("workspace", workspace_);
  asked.set("name", name_);
  asked.set("threads", threads_);
  asked.set("strict", strict_);
  asked.set("program", program_);
  asked.set("isolate", isolate_);
  asked.set("isolate_timeout", isolate_timeout_);
  if (!asked.has("model") && !asked.has("reference")) return;
  asked.set("inputs", ends_.inputs);
  asked.set("outputs", ends_.outputs);
}

flow::DataChoice Call::data(const Asked& asked, const char* name) const {
  return data_choice(asked.at(name), asked.dict(), called_);
}

std::optional<flow::DataChoice> Call::other_data(const Asked& asked, const char* name) const {
  if (!asked.has(name)) return std::nullopt;
  return data(asked, name);
}

std::optional<MetricSpec> Call::metric(const Asked& asked) const {
  if (!asked.has("metric")) return std::nullopt;
  return metric_spec(asked.at("metric"), called_);
}

MetricSpec Call::needed_metric(const Asked& asked) const {
  std::optional<MetricSpec> given = metric(asked);
  if (!given) throw Error(Errc::usage, "metric: give one, such as 'top1'");
  return *std::move(given);
}

flow::Session Call::session(Store& store, Progress& progress) const {
  flow::Session session{.store = store,
                        .progress = progress,
                        .workspace = workspace_,
                        .name = name_,
                        .arguments = {"python"},
                        .threads = threads_.value_or(available_cores()),
                        .strict = strict_,
                        .isolation = {},
                        .ends = ends_};
  if (program_.empty()) return session;
  Isolation isolation{.program = program_};
  isolation.timeout_seconds = isolate_timeout_.value_or(isolation.timeout_seconds);
  if (isolate_) session.isolation = isolation;
  isolation.stop_requested = [&progress] { return progress.stop_requested(); };
  session.workers = std::make_shared<Workers>(isolation);
  return session;
}

void Call::run_in_session(const std::function<void(const flow::Session&)>& work) const {
  run_verb(*work_, [&](Progress& progress) {
    DiskStore store;
    for (const std::string& sentence : notes_) progress.note(sentence);
    work(session(store, progress));
  });
}

void note_overwritten(const fs::path& output, const fs::path& model, const flow::Session& session) {
  const fs::path written = flow::destination_of(output, model);
  std::error_code none;
  if (!fs::exists(written, none)) return;
  for (const Workload& run : flow::workspace_of(session).list()) {
    const ModelFile* made = file_of(run, ModelRole::quantized);
    if (made == nullptr || !fs::equivalent(made->path, written, none)) continue;
    session.progress.note(
        fmt::format("{}: is written anew, and was the model of run {}; give another output to "
                    "keep both",
                    printable(written.string()), run.id));
    return;
  }
}

}  // namespace quantlens::python
