// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/stored/unfinished.h"

#include <cerrno>
#include <charconv>
#include <csignal>

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

namespace quantlens::flow {
namespace {

constexpr std::string_view kUnfinished = ".part";

}  // namespace

std::string unfinished_ending() {
  return fmt::format("{}{}", kUnfinished, ::getpid());
}

std::string_view process_in(std::string_view name) {
  const std::size_t at = name.rfind(kUnfinished);
  if (at == std::string_view::npos) return {};
  const std::string_view process = name.substr(at + kUnfinished.size());
  return process.find_first_not_of("0123456789-") == std::string_view::npos ? process
                                                                            : std::string_view();
}

bool is_running(std::string_view process) {
  pid_t id = 0;
  std::from_chars(process.data(), process.data() + process.size(), id);
  return id > 0 && (::kill(id, 0) == 0 || errno == EPERM);
}

}  // namespace quantlens::flow
