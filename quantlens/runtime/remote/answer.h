// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/runtime/remote/channel.h"
#include "quantlens/runtime/remote/messages.h"

namespace quantlens::remote {

/// A frame that has a described struct as its text.
template <class T>
Message message_of(FrameType type, const T& text) {
  Message message;
  message.type = type;
  message.text = text_of(text);
  return message;
}

/// What a worker answers with; its body refers to what is held.
struct Answer {
  Message message;
  std::vector<TensorMap> held = {};
};

}  // namespace quantlens::remote
