// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/models/drawn.h"

namespace quantlens::flow {
namespace {

/// Whatever is made of a file has bytes of its own.
bool is_of_file(const Model& ran, const Model& file) {
  return ran.file.bytes().data() == file.file.bytes().data();
}

}  // namespace

GraphOutline drawn(const Model& ran, const Model& file) {
  GraphOutline graph = outline(ran.graph);
  graph.as_in_file = is_of_file(ran, file);
  return graph;
}

void put_if_other(const Model& ran, const Model& file, WorkloadWriter& workload) {
  if (!is_of_file(ran, file)) workload.put(drawn(ran, file));
}

}  // namespace quantlens::flow
