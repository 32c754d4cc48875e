// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/remedies/remedies.h"

#include <cstddef>

#include "quantlens/base/json_line.h"
#include "quantlens/record/files.h"

namespace quantlens::flow {
namespace {

template <class Findings>
std::vector<std::string> lines_of(const Findings& findings) {
  std::vector<std::string> remedies;
  for (const auto& finding : findings) {
    remedies.push_back(finding.remedy.is_null() ? std::string() : json::line(finding.remedy));
  }
  return remedies;
}

}  // namespace

std::vector<std::string> remedies_of(const Diagnosis& diagnosis) {
  return lines_of(diagnosis.findings);
}

std::vector<std::string> remedies_of(const ProfileRecord& pair) {
  return lines_of(pair.findings);
}

void write_remedies(const std::vector<std::string>& remedies, WorkloadWriter& workload) {
  for (std::size_t i = 0; i < remedies.size(); ++i) {
    if (!remedies[i].empty()) workload.write(exported::remedy(i + 1), remedies[i] + "\n");
  }
}

}  // namespace quantlens::flow
