// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/stable_order.h"

#include <functional>
#include <queue>

namespace quantlens {

std::vector<std::size_t> stable_order(const std::vector<std::vector<std::size_t>>& needs) {
  std::vector<std::vector<std::size_t>> readers(needs.size());
  std::vector<std::size_t> waiting(needs.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    waiting[i] = needs[i].size();
    for (const std::size_t need : needs[i]) readers[need].push_back(i);
    if (needs[i].empty()) ready.push(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const std::size_t reader : readers[next]) {
      if (--waiting[reader] == 0) ready.push(reader);
    }
  }
  return order;
}

}  // namespace quantlens
