// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/open.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/oracle/oracle.h"

namespace quantlens {
namespace {

using Open = std::unique_ptr<Run> (*)(const Model&, const Model*, const TapSpec&,
                                      const RunOptions&);

/// The runtime that runs the models of a format.
struct Entry {
  std::string_view format;
  Open open;
};

constexpr Entry kRuntimes[] = {
    {"onnx", onnxruntime::open},
};

}  // namespace

std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options) {
  if (quantized != nullptr && quantized->format != reference.format) {
    throw Error(Errc::unsupported,
                fmt::format("a model of format '{}' and one of format '{}' cannot run together",
                            printable(reference.format), printable(quantized->format)));
  }
  for (const Entry& entry : kRuntimes) {
    if (entry.format == reference.format) return entry.open(reference, quantized, taps, options);
  }
  throw Error(Errc::unsupported,
              fmt::format("no runtime runs models of format '{}'", printable(reference.format)));
}

std::vector<RuntimeStatus> runtimes() {
  RuntimeStatus oracle;
  oracle.name = "oracle";
  oracle.available = true;
  oracle.version = "built in";
  return {onnxruntime::status(), oracle};
}

}  // namespace quantlens
