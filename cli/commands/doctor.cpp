// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/cores.h"
#include "quantlens/base/cpu.h"
#include "quantlens/flow/version.h"
#include "quantlens/runtime/open.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::cli {
namespace {

int run(bool as_json) {
  const std::vector<RuntimeStatus> all = runtimes();
  const bool usable = std::ranges::any_of(all, [](const RuntimeStatus& status) {
    return status.name == "onnxruntime" && status.available;
  });
  if (as_json) {
    boost::json::array list;
    for (const RuntimeStatus& status : all) {
      list.push_back({{"name", status.name},
                      {"available", status.available},
                      {"version", status.version},
                      {"where", status.where},
                      {"problem", status.problem}});
    }
    print_object({{"version", kVersion},
                  {"cores", available_cores()},
                  {"vnni", cpu_has_vnni()},
                  {"workspace", default_workspace().string()},
                  {"runtimes", list}});
  } else {
    print_out(fmt::format(
        "quantlens {}\n{} cores, {}\nworkspace {}\n", kVersion, available_cores(),
        cpu_has_vnni() ? "8-bit dot products (VNNI or the like)"
                       : "no VNNI: weights are quantized to 7 bits, so that sums do not saturate",
        default_workspace().string()));
    for (const RuntimeStatus& status : all) {
      print_out(status.available
                    ? fmt::format("{} {}: ready{}{}\n", status.name, status.version,
                                  status.where.empty() ? "" : " ", status.where)
                    : fmt::format("{}: not available: {}\n", status.name, status.problem));
    }
  }
  return usable ? kDone : 1;
}

}  // namespace

void add_doctor(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb =
      program.add_subcommand("doctor", "Show which runtimes are there, and why one is not");
  auto format = std::make_shared<std::string>("table");
  verb->add_option("--output", *format,
                   "Print this form on standard output: table or json (default: table)")
      ->check(one_of({"table", "json"}));
  verb->footer("Example:\n  quantlens doctor");
  verb->callback([=, &chosen] { chosen = [=] { return run(*format == "json"); }; });
}

}  // namespace quantlens::cli
