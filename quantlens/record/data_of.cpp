// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/data_of.h"

#include <algorithm>

namespace quantlens {

const DataUsed* data_of(const Workload& run, DataRole role) {
  return data_of(run.data, role);
}

const DataUsed* data_of(const std::vector<DataUsed>& data, DataRole role) {
  const auto found = std::ranges::find(data, role, &DataUsed::role);
  return found == data.end() ? nullptr : &*found;
}

}  // namespace quantlens
