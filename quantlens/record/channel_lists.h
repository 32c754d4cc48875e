// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "quantlens/base/json.h"

namespace quantlens {

// Scales of channels would be most of a plan and of a pairing, which have the same ones. Where such
// a record is long they stand beside it, each list once, in a file that is read by its index
// (docs/format.md, "Lists of channels").

/// JSON texts of lists by their stamp, the first digits of the SHA-256 of the text. Lists with one
/// stamp are equal, so that a file may hold those of several records, and of earlier versions.
using ChannelLists = std::map<std::string, std::string, std::less<>>;

/// Takes the lists of scales out of a record in columns (columns.h), and leaves {"list": stamp} in
/// the place of each; short ones stay.
ChannelLists take_channel_lists(json::Value& record);

std::string to_bytes(const ChannelLists& lists);

/// Lists of such a file: reads its index, and of all else what is asked for. The bytes must outlive
/// this.
class ChannelListsReader {
 public:
  /// Throws Errc::bad_input, naming `where`, for a damaged index.
  ChannelListsReader(std::string_view bytes, std::string_view where);
  /// The JSON text of a list. Throws Errc::bad_input for damaged bytes, and where there is no such
  /// list.
  std::string find(std::string_view stamp) const;
  /// Those that a text names, as the JSON of records does.
  ChannelLists named_in(std::string_view text) const;

 private:
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::string_view bytes_;
  std::string where_;
  std::map<std::string, Place, std::less<>> places_;
};

/// The reverse of take_channel_lists; whether there were any. `find`: the JSON text of a list by
/// its stamp.
bool put_channel_lists(json::Value& record,
                       const std::function<std::string(std::string_view stamp)>& find);

}  // namespace quantlens
