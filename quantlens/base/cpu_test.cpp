// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/cpu.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(Cpu, IsWhatTheSystemSays) {
  std::ifstream file("/proc/cpuinfo");
  std::stringstream info;
  info << file.rdbuf();
  if (info.str().find("model name") == std::string::npos) GTEST_SKIP() << "the system does not say";
  EXPECT_NE(info.str().find(": " + cpu_name() + "\n"), std::string::npos);
#if defined(__x86_64__)
  const bool listed = info.str().find("vnni") != std::string::npos;
  EXPECT_EQ(cpu_has_vnni(), listed);
#endif
}

}  // namespace
}  // namespace quantlens
