// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/exit_code.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quantlens/workspace/testing/temporary_folder.h"
#include "server/jobs/job.h"
#include "server/jobs/process.h"

namespace quantlens::server {
namespace {

/// What is in the folder after a process of this mark has ended so.
std::optional<int> left(const fs::path& folder, const fs::path& mark, bool leads_session) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (leads_session) ::setsid();
    ::setenv(kJobMark, mark.c_str(), 1);
    leave_exit_code(3);
    ::_exit(0);
  }
  ::waitpid(pid, nullptr, 0);
  return left_exit_code(folder);
}

TEST(ExitCode, IsLeftByTheJobsOwnProcessAlone) {
  const TemporaryFolder folder;
  const fs::path& job = folder.path();
  EXPECT_FALSE(left(job, job, true)) << "a folder without a record is no job's";
  std::ofstream(job / kJobRecord) << "{}";
  EXPECT_FALSE(left(job, job, false)) << "a process that the job has started";
  EXPECT_FALSE(left(job, job / "nowhere", true));
  EXPECT_EQ(left(job, job, true), 3);
}

TEST(ExitCode, IsNoneWhereTheFileHoldsSomethingElse) {
  const TemporaryFolder folder;
  for (const char* text : {"", "3", "\n", "-1\n", "256\n", "3 \n", "1111111111\n", "x\n"}) {
    std::ofstream(folder.path() / kExitCode) << text;
    EXPECT_FALSE(left_exit_code(folder.path())) << text;
  }
  std::ofstream(folder.path() / kExitCode) << "130\n";
  EXPECT_EQ(left_exit_code(folder.path()), 130);
}

}  // namespace
}  // namespace quantlens::server
