// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/runtime/remote/answer.h"
#include "quantlens/runtime/remote/client.h"
#include "quantlens/runtime/remote/give.h"
#include "quantlens/runtime/remote/model_text.h"
#include "quantlens/runtime/remote/patch_text.h"
#include "quantlens/runtime/remote/plan_text.h"
#include "quantlens/runtime/remote/remote.h"
#include "quantlens/runtime/where.h"

namespace quantlens::remote {
namespace {

/// Files of a result that came, none in a place of its own choice.
struct Result {
  std::vector<std::string> notes;
  std::vector<std::pair<fs::path, Payload>> files;
};

bool is_suffix(const std::string& text) {
  constexpr std::size_t kMost = 64;
  return text.starts_with('.') && text.size() <= kMost && text.find('/') == std::string::npos &&
         text.find('\0') == std::string::npos;
}

Result result_from(const Received& answer, const fs::path& path) {
  auto text = message_from<AppliedText>(answer.text);
  if (text.files.empty() || text.files.size() != answer.files.size()) {
    throw Error(Errc::bad_input, "its files are not those that it names");
  }
  Result result{.notes = std::move(text.notes), .files = {}};
  for (std::size_t i = 0; i < text.files.size(); ++i) {
    const auto& [suffix, bytes] = text.files[i];
    const bool is_last = i + 1 == text.files.size();
    if (is_last ? !suffix.empty() : !is_suffix(suffix)) {
      throw Error(Errc::bad_input, fmt::format("it names a file '{}'", printable(suffix)));
    }
    Payload memory = map_sealed(answer.files[i]);
    if (memory.bytes.size() != bytes) throw Error(Errc::bad_input, "a file of it is cut off");
    fs::path name = path;
    result.files.emplace_back(name += suffix, std::move(memory));
  }
  return result;
}

/// All are complete before any is visible, and the one that needs the others is last.
void write(const Result& result, Store& store) {
  std::vector<std::unique_ptr<FileWriter>> writers;
  for (const auto& [name, memory] : result.files) {
    writers.push_back(store.create(name));
    writers.back()->write(memory.bytes);
  }
  for (const auto& writer : writers) writer->commit();
}

}  // namespace

StatusText status(Client& worker) {
  Message message;
  message.type = FrameType::status;
  message.text = "{}";
  return worker.ask(std::move(message), FrameType::status_told, "when it was asked what it is",
                    [](const Received& answer) { return message_from<StatusText>(answer.text); });
}

Model read(Client& worker, std::string_view format, const fs::path& path, const MappedFile& file) {
  std::vector<FileDescriptor> files;
  Message message = message_of(FrameType::read, give(format, path, file, files));
  message.files = std::move(files);
  const std::string doing = printable(path.string()) + ": while it was read";
  return worker.ask(std::move(message), FrameType::read_done, doing, [&](const Received& answer) {
    Model model = model_from(message_from<ModelText>(answer.text), memory_with(answer), file);
    model.format = format;
    model.path = path;
    return model;
  });
}

std::vector<std::string> apply(Client& worker, const Change& change, Store& store,
                               const fs::path& path) {
  Message message;
  ApplyText text{.model = give(change.model, message.files),
                 .plan = text_from(change.plan, message.body),
                 .metadata = entries_of(change.metadata),
                 .path = path.string()};
  message.type = FrameType::apply;
  message.text = text_of(text);
  const std::string doing = fmt::format("{}: while it was written", where(change.model));
  Result result = worker.ask(std::move(message), FrameType::applied, doing,
                             [&](const Received& answer) { return result_from(answer, path); });
  write(result, store);
  return std::move(result.notes);
}

void write_patched(Client& worker, const Model& model, const Patch& patch, Store& store,
                   const fs::path& path) {
  Message message;
  PatchText text = text_from(patch, message.body);
  text.model = give(model, message.files);
  text.path = path.string();
  message.type = FrameType::patch;
  message.text = text_of(text);
  const std::string doing = fmt::format("{}: while ops of it were put into float", where(model));
  write(worker.ask(std::move(message), FrameType::patched, doing,
                   [&](const Received& answer) { return result_from(answer, path); }),
        store);
}

}  // namespace quantlens::remote
