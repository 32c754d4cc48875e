// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/channel_lists.h"

#include <fmt/format.h>

#include "quantlens/base/gzip.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/text.h"
#include "quantlens/record/columns.h"
#include "quantlens/record/indexed_lines.h"

// The file: lists, each a JSON array of numbers; its index is {"lists": {stamp: where it begins}}
// (indexed_lines.h).

namespace quantlens {
namespace {

constexpr const char* kList = "list";
constexpr const char* kLists = "lists";

std::string stamp_of_list(std::string_view text) {
  constexpr std::size_t kDigits = 16;
  return sha256_hex(text).substr(0, kDigits);
}

/// The stamp of a list that stands elsewhere; null where these are scales themselves.
const boost::json::string* stamp_in(const json::Value& scales) {
  const auto* object = scales.if_object();
  const json::Value* stamp =
      object != nullptr && object->size() == 1 ? object->if_contains(kList) : nullptr;
  return stamp != nullptr ? stamp->if_string() : nullptr;
}

}  // namespace

ChannelLists take_channel_lists(json::Value& record) {
  constexpr std::size_t kFew = 8;  // about as long as a stamp
  ChannelLists lists;
  for_each_scales(record, [&](json::Value& scales) {
    const auto* list = scales.if_array();
    if (list == nullptr || list->size() <= kFew) return;
    std::string text = json::line(scales);
    const std::string stamp = stamp_of_list(text);
    lists.emplace(stamp, std::move(text));
    scales = {{kList, stamp}};
  });
  return lists;
}

bool put_channel_lists(json::Value& record,
                       const std::function<std::string(std::string_view stamp)>& find) {
  bool has_any = false;
  for_each_scales(record, [&](json::Value& scales) {
    const boost::json::string* stamp = stamp_in(scales);
    if (stamp == nullptr) return;
    scales = json::parse(find(*stamp), "a list of channels");
    has_any = true;
  });
  return has_any;
}

std::string to_bytes(const ChannelLists& lists) {
  std::string bytes;
  boost::json::object places;
  for (const auto& [stamp, text] : lists) {
    places[stamp] = bytes.size();
    bytes += packed_part(text);
  }
  return with_index(std::move(bytes), {{kLists, std::move(places)}});
}

ChannelListsReader::ChannelListsReader(std::string_view bytes, std::string_view where)
    : bytes_(bytes), where_(where) {
  const std::uint64_t end = index_begin(bytes, where);
  const json::Value index = json::parse(line_at(bytes, end, where), where);
  const auto* members = index.if_object();
  const json::Value* lists = members != nullptr ? members->if_contains(kLists) : nullptr;
  if (!has_packed_parts(index, where) || lists == nullptr || !lists->is_object()) {
    refuse_file(where, "its index is of another form");
  }
  Place* last = nullptr;
  for (const auto& entry : lists->get_object()) {
    const auto begin = json::decode<std::uint64_t>(entry.value(), where);
    if (last != nullptr && begin <= last->begin) refuse_file(where, "its index is not in order");
    if (begin >= end) refuse_file(where, "its index points behind its end");
    if (last != nullptr) last->end = begin;
    last = &places_.insert_or_assign(std::string(entry.key()), Place{begin, end}).first->second;
  }
}

std::string ChannelListsReader::find(std::string_view stamp) const {
  const auto place = places_.find(stamp);
  if (place == places_.end()) {
    refuse_file(where_, fmt::format("there is no list '{}'", printable(stamp)));
  }
  const auto [begin, end] = place->second;
  std::string text = gunzip(bytes_.substr(begin, end - begin), where_);
  if (stamp_of_list(text) != stamp) {
    refuse_file(where_, fmt::format("its list '{}' is another one", printable(stamp)));
  }
  return text;
}

ChannelLists ChannelListsReader::named_in(std::string_view text) const {
  ChannelLists lists;
  for (const auto& [stamp, place] : places_) {
    if (text.find(stamp) != text.npos) lists.emplace(stamp, find(stamp));
  }
  return lists;
}

}  // namespace quantlens
