// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/remedies.h"

#include <cstddef>

#include "quantlens/base/json_line.h"
#include "quantlens/record/files.h"

namespace quantlens::flow {

std::vector<std::string> remedies_of(const Diagnosis& diagnosis) {
  std::vector<std::string> remedies;
  for (const Finding& finding : diagnosis.findings) {
    remedies.push_back(finding.remedy.is_null() ? std::string() : json::line(finding.remedy));
  }
  return remedies;
}

void write_remedies(const std::vector<std::string>& remedies, WorkloadWriter& workload) {
  for (std::size_t i = 0; i < remedies.size(); ++i) {
    if (!remedies[i].empty()) workload.write(exported::remedy(i + 1), remedies[i] + "\n");
  }
}

}  // namespace quantlens::flow
