// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.h"

namespace quantlens::cli {

void add_commands(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  add_quantize(program, command_line, chosen);
  add_diagnose(program, command_line, chosen);
  add_judge(program, command_line, chosen);
  add_tune(program, command_line, chosen);
  add_evaluate(program, command_line, chosen);
  add_profile(program, command_line, chosen);
  add_benchmark(program, command_line, chosen);
  add_inspect(program, command_line, chosen);
  add_calibrate(program, command_line, chosen);
  add_merge(program, command_line, chosen);
  add_workloads(program, command_line, chosen);
  add_report(program, command_line, chosen);
  add_compare(program, command_line, chosen);
  add_tensorboard(program, command_line, chosen);
  add_export(program, command_line, chosen);
  add_serve(program, command_line, chosen);
  add_doctor(program, command_line, chosen);
  add_demo(program, command_line, chosen);
  add_completion(program, command_line, chosen);
  add_manual(program, command_line, chosen);
  add_complete(program, command_line, chosen);
  add_worker(program, command_line, chosen);
  add_benchmark_instance(program, command_line, chosen);
}

}  // namespace quantlens::cli
