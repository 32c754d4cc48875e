// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/merge.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/record/tap_state.h"
#include "quantlens/stats/bytes.h"

namespace quantlens::flow {
namespace {

/// The name comes first on the command line, where one that is read is easily taken for it.
void refuse_existing(const fs::path& output) {
  std::error_code ignored;
  if (!fs::is_regular_file(output, ignored)) return;
  throw Error(Errc::usage, fmt::format("{}: is there already; the first name is that of the new "
                                       "file: give another or remove this one",
                                       printable(output.string())));
}

}  // namespace

MergeResult merge(const MergeOptions& options, Store& store) {
  refuse_existing(options.output);
  check_destination({.path = options.output, .option = "the first name", .is_model = false}, {});
  TapState all;
  for (const fs::path& input : options.inputs) {
    const std::string where = printable(input.string());
    const TapState part = tap_state_from_bytes(store.read(input).text(), where);
    naming(where, [&] { quantlens::merge(all, part); });
  }
  write_atomic(store, options.output, to_bytes(all));
  return {.output = options.output,
          .model = all.model,
          .samples = all.samples.size(),
          .values = all.values.size()};
}

}  // namespace quantlens::flow
