// SPDX-License-Identifier: Apache-2.0
#include "server/api/kept_indexes.h"

#include <string>

#include "quantlens/workspace/read_record.h"
#include "server/api/answer.h"

namespace quantlens::server {
namespace {

/// Another file, or another state of it, has another one.
std::string key_of_file(const fs::path& path) {
  return path.string() + '/' + state_of(path);
}

}  // namespace

std::shared_ptr<const json::Value> KeptIndexes::head(const fs::path& record) {
  auto head = heads_.get(key_of_file(record),
                         [&] { return read_head(store_, record).value_or(json::Value()); });
  return head->is_null() ? nullptr : head;
}

RowsReader KeptIndexes::rows(std::string_view file, const fs::path& path, std::string_view where) {
  return {file, rows_.get(key_of_file(path), [&] { return RowsIndex::read(file, where); })};
}

HistogramsReader KeptIndexes::histograms(std::string_view file, const fs::path& path,
                                         std::string_view where) {
  return {file, where, histograms_.get(key_of_file(path), [&] {
            return HistogramsReader(file, where).entries();
          })};
}

}  // namespace quantlens::server
