// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "quantlens/base/json.h"
#include "quantlens/base/store.h"
#include "server/api/op_rows.h"
#include "server/offline/record_faults.h"

namespace quantlens::server {

/// What show_op answers of each op of a run that has ended, of lists that are read once for all of
/// them. It holds their rows.
class OpAnswers {
 public:
  /// What is not stored has no rows, and what cannot be read has none either, and is told.
  OpAnswers(const Store& store, const fs::path& folder, RecordFaults& faults);

  /// Of all ops that its rows are about, in their order.
  const std::vector<std::string>& ids() const { return ids_; }
  json::Value of(const std::string& op) const;

 private:
  using Places = std::unordered_map<std::string, std::vector<std::uint32_t>>;
  struct Rows {
    const OpList& list;
    boost::json::array all;
    Places by_id, by_name;  ///< of a list without columns for them both are in by_id
  };
  void read(const Store& store, const fs::path& folder, Rows& rows);
  void know(const std::string& id);

  std::vector<Rows> lists_;
  std::vector<std::string> ids_;
  std::unordered_set<std::string> known_;
};

}  // namespace quantlens::server
