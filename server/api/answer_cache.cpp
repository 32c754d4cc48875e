// SPDX-License-Identifier: Apache-2.0
#include "server/api/answer_cache.h"

#include <utility>

namespace quantlens::server {
namespace {

constexpr std::size_t kOverhead = 256;  // of an entry besides its texts, about
constexpr std::size_t kLargestPart = 4;

}  // namespace

std::size_t AnswerCache::size_of(const Entry& entry) {
  return kOverhead + 2 * entry.key.size() + entry.body->size();
}

AnswerCache::Body AnswerCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->body;
}

void AnswerCache::put(const std::string& key, Body body) {
  Entry entry{key, std::move(body)};
  const std::size_t size = size_of(entry);
  if (size > most_bytes_ / kLargestPart) return;
  const std::lock_guard lock(mutex_);
  if (places_.contains(key)) return;  // another thread made it meanwhile
  entries_.push_front(std::move(entry));
  places_.emplace(key, entries_.begin());
  bytes_ += size;
  while (bytes_ > most_bytes_) {
    const Entry& last = entries_.back();
    bytes_ -= size_of(last);
    places_.erase(last.key);
    entries_.pop_back();
  }
}

std::size_t AnswerCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace quantlens::server
