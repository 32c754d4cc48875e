// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/read.h"

#include "quantlens/profiling/import/exported.h"
#include "quantlens/profiling/import/onnxruntime.h"
#include "quantlens/profiling/import/tensorflow.h"

namespace quantlens::imports {

Importer importer_for(std::string_view beginning) {
  if (is_step_stats(beginning)) return import_step_stats;
  if (beginning.starts_with("\xEF\xBB\xBF")) beginning.remove_prefix(3);
  beginning.remove_prefix(std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size()));
  const auto has = [&](std::string_view text) {
    return beginning.find(text) != std::string_view::npos;
  };
  if (beginning.starts_with('[')) {
    return has("\"cat\"") && has("\"ph\"") && has("\"dur\"") ? import_onnxruntime : nullptr;
  }
  if (!beginning.starts_with('{') || !has("\"traceEvents\"")) return nullptr;
  const std::string_view head = beginning.substr(0, beginning.find("\"traceEvents\""));
  return head.find("\"quantlens\"") == std::string_view::npos ? import_timeline : import_exported;
}

}  // namespace quantlens::imports
