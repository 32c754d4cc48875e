// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "quantlens/stats/channel.h"

namespace quantlens {

/// The channel of one element after the other, in their order: a division for each takes longer.
class ChannelWalk {
 public:
  explicit ChannelWalk(const AxisLayout& layout) : layout_(layout) {}
  /// Gives the channel of the element and goes on to the next.
  std::size_t next() {
    const std::size_t here = channel_;
    if (++at_ == layout_.inner) {
      at_ = 0;
      if (++channel_ == layout_.channels) channel_ = 0;
    }
    return here;
  }

 private:
  AxisLayout layout_;
  std::size_t at_ = 0, channel_ = 0;
};

}  // namespace quantlens
