// SPDX-License-Identifier: Apache-2.0
#include "server/api/compare_routes.h"

#include <string>

#include "quantlens/compare/compare.h"
#include "quantlens/record/files.h"
#include "quantlens/report/comparison_text.h"
#include "quantlens/workspace/read_run.h"

namespace quantlens::server {
namespace {

/// As comparison_json has it; of each finding also `because`.
struct ToldComparison : Comparison {
  std::string verdict;   ///< sentences
  std::string cautions;  ///< likewise; empty: none
};
BOOST_DESCRIBE_STRUCT(ToldComparison, (Comparison), (verdict, cautions))

/// Of all records that a comparison may read. The run's own is written last.
std::string state_of_records(const Run& run) {
  std::string state = run.summary.id;
  boost::mp11::mp_for_each<RecordFiles>(
      [&](auto file) { state += ' ' + state_of(run.folder / decltype(file)::kName); });
  return state;
}

}  // namespace

Answer compare_runs(Context& context, const Call& call) {
  const Runs::One a = context.runs.find(call.in_path[0]);
  const std::string other(call.arguments.needed("other", "Say which run in \"other\"."));
  const Runs::One b = context.runs.find(other);
  for (const Runs::One& run : {a, b}) check_ended(run->summary.id, run->summary.state, "compare");
  return {.state = state_of_records(*a) + state_of_records(*b), .make = [&context, a, b] {
            const auto read = [&](const Runs::One& run) {
              return read_run_to_compare(context.store, context.workspace, run->summary.id);
            };
            return compact(comparison_json(compare(read(a), read(b))));
          }};
}

json::Value comparison_schema(Schemas& schemas) {
  return schemas.of<ToldComparison>();
}

}  // namespace quantlens::server
