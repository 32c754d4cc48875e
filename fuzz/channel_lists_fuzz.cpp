// SPDX-License-Identifier: Apache-2.0
// Bytes that claim to be lists of channels are refused with an Error, or give lists that are what
// their stamps say, and that are written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "quantlens/base/error.h"
#include "quantlens/record/channel_lists.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const ChannelLists lists = ChannelListsReader(bytes, "fuzz").named_in(bytes);
    const std::string again = to_bytes(lists);
    if (ChannelListsReader(again, "again").named_in(again) != lists) std::abort();
  } catch (const Error&) {  // refused in words
  }
  return 0;
}
