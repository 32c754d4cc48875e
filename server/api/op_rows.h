// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/record/files.h"
#include "server/api/answer.h"
#include "server/api/context.h"

namespace quantlens::server {

/// A list of a record with rows about ops, and how they say so.
struct OpList {
  std::string_view member;  ///< as an answer about one op calls its rows
  std::string_view record;  ///< the record's file
  std::string_view list;
  std::string_view id,
      name;                 ///< columns with the op; empty: its rows have `ops`, or an `op` as well
  bool makes_known = true;  ///< an op with rows here is one that the run knows
};
std::span<const OpList> op_lists();

/// Rows of a run's records that are about one op, at most kMost of a list. What is not stored, or
/// cannot be read, has none.
class OpRows {
 public:
  static constexpr std::size_t kMost = 100;

  /// `op`: its id or, of an op that has none of this id, its name.
  OpRows(Context& context, const Run& run, const std::string& op)
      : context_(context), run_(run), op_(op) {}

  std::vector<json::Value> of(const OpList& list) const;
  /// Of a list whose rows have an `op`.
  template <class Record>
  std::vector<json::Value> of(std::string_view list) const {
    return find(run_.folder / FileOf<Record>::kName, list, "op.id", "op.name");
  }
  /// The same by other columns.
  template <class Record>
  std::vector<json::Value> at(std::string_view list, std::string_view id,
                              std::string_view name) const {
    return find(run_.folder / FileOf<Record>::kName, list, id, name);
  }
  /// Of a list whose rows have `ops`, or an `op` as well.
  template <class Record>
  std::vector<json::Value> naming(std::string_view list) const {
    return find_naming(run_.folder / FileOf<Record>::kName, list);
  }
  /// Of all files that these read.
  static std::string state(const Run& run);

 private:
  std::vector<json::Value> find(const fs::path& record, std::string_view list, std::string_view id,
                                std::string_view name) const;
  std::vector<json::Value> find_naming(const fs::path& record, std::string_view list) const;

  Context& context_;
  const Run& run_;
  const std::string& op_;
};

}  // namespace quantlens::server
