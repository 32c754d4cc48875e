// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.h"

namespace quantlens::cli {

// One verb, one file.
void add_benchmark(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_benchmark_instance(CLI::App& program, const std::vector<std::string>& command_line,
                            Runner& chosen);
void add_calibrate(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_compare(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_complete(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_completion(CLI::App& program, const std::vector<std::string>& command_line,
                    Runner& chosen);
void add_demo(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_diagnose(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_doctor(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_evaluate(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_export(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_profile(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_inspect(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_judge(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_manual(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_merge(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_quantize(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_report(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_serve(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_tensorboard(CLI::App& program, const std::vector<std::string>& command_line,
                     Runner& chosen);
void add_tune(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_worker(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);
void add_workloads(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);

}  // namespace quantlens::cli
