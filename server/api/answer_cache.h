// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace quantlens::server {

/// Bodies of answers by what they are made of, the least recently used given up first. A body that
/// would push out most of the others is not kept. Called from several threads at once.
class AnswerCache {
 public:
  using Body = std::shared_ptr<const std::string>;
  explicit AnswerCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  Body find(const std::string& key);  ///< null: not there
  void put(const std::string& key, Body body);
  std::size_t bytes() const;

 private:
  struct Entry {
    std::string key;
    Body body;
  };
  static std::size_t size_of(const Entry& entry);

  std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
  std::unordered_map<std::string, std::list<Entry>::iterator> places_;
  std::size_t bytes_ = 0;
};

}  // namespace quantlens::server
