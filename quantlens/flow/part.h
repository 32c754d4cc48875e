// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>

#include "quantlens/flow/session.h"

namespace quantlens::flow {

/// Part `index` (from 1) of `count` nearly equal parts of the samples that a run would look at.
/// Parts begin at whole batches, so that each batch is what it is without parts.
struct Shard {
  std::uint64_t index = 1;
  std::uint64_t count = 1;
};

/// Which of them a run looks at; std::monostate: all.
using Part = std::variant<std::monostate, Shard, Samples>;

/// The samples of a part; a shard is one of the first `most` samples. Throws Errc::usage where
/// there are more shards than batches, Errc::bad_input where there are not so many samples.
Samples samples_of(const Part& part, const FittedData& data, std::uint64_t most);

/// Has all readers see the part alone. Throws as samples_of does.
void look_at(const Part& part, FittedData& data);

}  // namespace quantlens::flow
