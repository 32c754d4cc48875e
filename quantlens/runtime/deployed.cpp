// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/deployed.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/file_descriptor.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/open.h"

namespace quantlens {
namespace {

Error unreadable(const Model& model, const std::string& reason) {
  return {Errc::failed,
          fmt::format("{}: the graph that the runtime runs cannot be read back: {}",
                      model.path.empty() ? "the model" : printable(model.path.string()), reason)};
}

}  // namespace

DeployedRun deployed_run(const Model& model, const RunOptions& options) {
  // Memory that no folder shows and nothing leaves behind; a worker, our child, writes it, too.
  const FileDescriptor file(::memfd_create("quantlens-deployed", MFD_CLOEXEC));
  if (!file.is_open()) throw unreadable(model, "the system gives no memory for it");
  RunOptions dumped = options;
  dumped.optimized_dump = fmt::format("/proc/{}/fd/{}", ::getpid(), file.get());
  std::unique_ptr<Run> run = open(model, nullptr, {}, dumped);
  MappedFile bytes = MappedFile::open(dumped.optimized_dump);
  if (bytes.bytes().empty()) throw unreadable(model, "it wrote none");
  try {
    return {.graph = frontend::read_as(model.format, model.path, std::move(bytes)),
            .run = std::move(run)};
  } catch (const Error& error) {
    throw unreadable(model, error.what());
  }
}

Model deployed(const Model& model, const RunOptions& options) {
  DeployedRun made = deployed_run(model, options);
  closing(std::move(made.run), options.watch.phases).reset();
  return std::move(made.graph);
}

Model deployed_with(const TapSpec& taps, const Model& reference, const Model& quantized,
                    const RunOptions& options, const fs::path& folder) {
  RunOptions dumped = options;
  dumped.apart = true;
  dumped.optimized_dump = folder / "deployed";
  closing(open(reference, &quantized, taps, dumped), options.watch.phases).reset();
  return frontend::read_as(quantized.format, quantized.path,
                           MappedFile::open(dumped.optimized_dump += ".quantized"));
}

}  // namespace quantlens
