// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/demo_folder.h"

#include <system_error>
#include <vector>

#include "cli/commands/commands.h"

namespace quantlens::cli {

std::optional<fs::path> find_demo_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink(kThisProgram, error);
  std::vector<fs::path> tried;
  if (!error) tried.push_back(program.parent_path().parent_path() / "share/quantlens/demo");
#ifdef QUANTLENS_DEMO_HINT
  tried.emplace_back(QUANTLENS_DEMO_HINT);
#endif
  for (fs::path& folder : tried)
    if (fs::exists(folder / "digits.onnx", error)) return std::move(folder);
  return std::nullopt;
}

}  // namespace quantlens::cli
