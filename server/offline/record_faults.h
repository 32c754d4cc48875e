// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/error.h"
#include "quantlens/base/store.h"

namespace quantlens::server {

/// What of a run's records cannot be read, or is missing though others need it. The rest is shown
/// without them.
class RecordFaults {
 public:
  /// Looks at all records that a report shows; reads none of their rows. `folder`: of the run.
  RecordFaults(const Store& store, fs::path folder);

  /// Whether nothing was found in a record. `file`: "graph.json".
  bool is_sound(std::string_view file) const;
  /// The first that is found in a record counts.
  void add(std::string_view file, const Error& error);
  /// "<id>/graph.ops.rows: is missing; run the command again", one for each record.
  std::vector<std::string> sentences() const;

 private:
  struct Fault {
    std::string file, sentence;
  };
  void add(std::string_view file, const std::string& sentence);

  fs::path folder_;
  std::vector<Fault> faults_;
};

}  // namespace quantlens::server
