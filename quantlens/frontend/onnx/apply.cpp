// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/error.h"
#include "quantlens/frontend/onnx/onnx.h"

namespace quantlens::onnx {

void apply(const Model&, const Plan&, const std::map<std::string, std::string>&, Store&,
           const fs::path& path) {
  throw Error(Errc::unsupported, path.string() + ": ONNX files cannot be written yet");
}

}  // namespace quantlens::onnx
