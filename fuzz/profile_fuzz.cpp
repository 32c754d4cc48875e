// SPDX-License-Identifier: Apache-2.0
// Any bytes as a profile that another program took: read, whatever is damaged, with times that can
// be; what was read is exported as a trace and read again with the same nodes.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "quantlens/base/error.h"
#include "quantlens/profiling/import/read.h"
#include "quantlens/profiling/trace.h"

using namespace quantlens;  // NOLINT(google-build-using-namespace): a program of one file

static Profile read(const std::string& bytes, imports::Importer importer) {
  std::istringstream in(bytes);
  NoProgress progress;
  return importer(in, progress);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const imports::Importer importer =
      imports::importer_for(std::string_view(bytes).substr(0, imports::kBeginning));
  if (importer == nullptr) return 0;
  const Profile profile = read(bytes, importer);
  for (const NodeTime& node : profile.nodes) {
    const bool sound = node.total_us >= 0 && std::isfinite(node.total_us) && node.runs > 0 &&
                       node.median_us >= 0 && node.p95_us >= node.median_us;
    if (!sound || !std::isfinite(node.share)) std::abort();
  }
  const std::string trace = trace_json(profile);
  const imports::Importer again = imports::importer_for(trace.substr(0, imports::kBeginning));
  if (again == nullptr) std::abort();
  if (read(trace, again).nodes.size() != profile.nodes.size()) std::abort();
  return 0;
}
