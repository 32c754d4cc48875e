// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/jobs.h"

#include <csignal>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/workspace/testing/temporary_folder.h"
#include "server/jobs/queue.h"
#include "server/jobs/refusal.h"
#include "server/jobs/testing/small_onnx.h"

namespace quantlens::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

/// Stands for quantlens: what it does is told by its model's name.
constexpr std::string_view kProgram = R"(#!/bin/sh
begin() { echo '{"event":"begin","step":"calibrate","done":0,"seconds":0.0,"total":10}' >&2; }
case "$2" in
*/ok.onnx) begin
  echo '{"event":"progress","step":"calibrate","done":5,"seconds":0.5,"total":10}' >&2
  echo "the result"; env;;
*/fail.onnx) begin; echo 'quantlens: the model is broken' >&2; exit 1;;
*/missed.onnx) exit 3;;
*/crash.onnx) kill -SEGV $$;;
*/slow.onnx) trap 'exit 130' INT; begin; while :; do sleep 0.02; done;;
*/stubborn.onnx) trap '' INT; begin; while :; do sleep 0.02; done;;
*/late.onnx) begin; while [ ! -e "$QUANTLENS_JOB/go" ]; do sleep 0.02; done
  echo 3 >"$QUANTLENS_JOB/exit_code"; exit 3;;
*/parent.onnx) begin; (trap '' INT; setsid sleep 300) & while :; do sleep 0.02; done;;
esac
)";

class JobsTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_);
    fs::create_directories(workspace_folder_);
    for (const char* name : {"ok", "fail", "missed", "crash", "slow", "stubborn", "late", "parent"})
      std::ofstream(root_ / fmt::format("{}.onnx", name)) << small_onnx();
    std::ofstream(root_ / "program") << kProgram;
    fs::permissions(root_ / "program", fs::perms::owner_all);
    start();
  }
  void start(unsigned cores = 2) {
    jobs_.reset();
    jobs_.emplace(store_, workspace_, events_,
                  JobsOptions{.roots = {root_},
                              .cores = cores,
                              .program = root_ / "program",
                              .patience = milliseconds(300),
                              .check_usage = check_usage_});
  }
  std::string submit(const std::string& model, unsigned threads = 1) {
    const json::Value asked =
        json::parse(fmt::format(R"({{"verb": "benchmark", "model": "{}/{}.onnx", "threads": {}}})",
                                root_.string(), model, threads),
                    "request");
    return jobs_->submit(asked.as_object()).id;
  }
  JobState state(const std::string& id) { return jobs_->find(id).state; }
  ShownJob wait_for(const std::string& id, const std::function<bool(const ShownJob&)>& is_so) {
    constexpr int kTries = 1000;
    for (int i = 0; i < kTries; ++i) {
      ShownJob job = jobs_->find(id);
      if (is_so(job)) return job;
      ::usleep(20'000);
    }
    ADD_FAILURE() << "it is still " << word(state(id));
    return jobs_->find(id);
  }
  ShownJob ended(const std::string& id) {
    return wait_for(id, [](const ShownJob& job) { return has_ended(job.state); });
  }
  ShownJob under_way(const std::string& id) {
    return wait_for(id, [](const ShownJob& job) { return job.progress.has_value(); });
  }
  fs::path folder_of(const std::string& id) const { return workspace_folder_ / "jobs" / id; }

  TemporaryFolder folder_;
  fs::path base_ = fs::canonical(folder_.path());
  fs::path root_ = base_ / "root", workspace_folder_ = base_ / "workspace";
  DiskStore store_;
  Workspace workspace_{store_, workspace_folder_};
  Events events_;
  std::function<void(const std::vector<std::string>&)> check_usage_;
  std::optional<Jobs> jobs_;
};

TEST_F(JobsTest, AreNotBegunWhereTheProgramWouldRefuseThem) {
  std::vector<std::string> asked;
  check_usage_ = [&](const std::vector<std::string>& arguments) {
    asked = arguments;
    throw Error(Errc::usage, "--threads requires --rounds");
  };
  start();
  try {
    submit("ok");
    ADD_FAILURE() << "it was taken";
  } catch (const Refusal& refused) {
    EXPECT_EQ(refused.status(), kWrongRequest);
    EXPECT_STREQ(refused.what(), "threads: --threads requires --rounds");
  }
  EXPECT_THAT(asked, testing::Contains("--threads=1"));
  EXPECT_TRUE(jobs_->list().empty());
  EXPECT_EQ(store_.list(workspace_folder_ / "jobs"), std::vector<std::string>{"lock"});
}

TEST_F(JobsTest, EndAsTheirProgramsDo) {
  const auto told = events_.subscribe();
  const std::string ok = submit("ok"), fail = submit("fail"), missed = submit("missed"),
                    crash = submit("crash");
  EXPECT_EQ(ended(ok).state, JobState::success);
  EXPECT_EQ(jobs_->find(ok).exit_code, 0);
  EXPECT_EQ(ended(fail).state, JobState::failure);
  EXPECT_EQ(jobs_->find(fail).message, "quantlens: the model is broken");
  EXPECT_EQ(ended(missed).state, JobState::success);
  EXPECT_THAT(jobs_->find(missed).message, HasSubstr("goal was missed"));
  EXPECT_EQ(ended(crash).state, JobState::failure);
  EXPECT_THAT(jobs_->find(crash).message, HasSubstr("crashed"));
  EXPECT_EQ(jobs_->list().front().id, crash);
  std::string events;
  while (auto event = told->take()) events += *event;
  EXPECT_THAT(events, HasSubstr("event: jobs\ndata: {\"id\":\"" + ok));
  EXPECT_THAT(events, HasSubstr("\"state\":\"success\""));
}

TEST_F(JobsTest, SayWhatTheySaid) {
  ::setenv("SECRET_OF_THE_SERVER", "1", 1);
  const std::string id = submit("ok");
  ended(id);
  const LogPart log = jobs_->log(id, 0, false);
  EXPECT_THAT(log.text, HasSubstr("\"done\":5"));
  EXPECT_EQ(log.end, log.size);
  EXPECT_EQ(jobs_->log(id, log.end, false).text, "");
  EXPECT_EQ(jobs_->log(id, 1U << 30U, false).text, "");
  const std::string output = jobs_->log(id, 0, true).text;
  EXPECT_THAT(output, HasSubstr("the result\n"));
  EXPECT_THAT(output, HasSubstr("QUANTLENS_JOB=" + folder_of(id).string()));
  EXPECT_THAT(output, Not(HasSubstr("SECRET_OF_THE_SERVER")));
}

TEST_F(JobsTest, WaitForCoresInTheirOrder) {
  const std::string first = submit("slow"), large = submit("slow", 2), small = submit("ok");
  under_way(first);
  EXPECT_EQ(jobs_->find(large).before, 0U);
  EXPECT_EQ(jobs_->find(small).before, 1U);
  EXPECT_EQ(state(small), JobState::queued);  // there is a core for it, and it is not its turn
  jobs_->cancel(first);
  EXPECT_EQ(ended(first).state, JobState::cancelled);
  under_way(large);
  jobs_->cancel(large);
  EXPECT_EQ(ended(small).state, JobState::success);
}

TEST_F(JobsTest, AreCancelled) {
  const std::string stubborn = submit("stubborn", 2), waiting = submit("slow");
  under_way(stubborn);
  EXPECT_EQ(jobs_->cancel(waiting).state, JobState::cancelled);
  EXPECT_EQ(jobs_->cancel(stubborn).state, JobState::running);
  EXPECT_EQ(ended(stubborn).state, JobState::cancelled);
  EXPECT_THROW(jobs_->cancel(stubborn), Refusal);
  EXPECT_THROW(jobs_->cancel("nobody"), Refusal);
}

TEST_F(JobsTest, GoOnWithoutTheServerAndAreFoundAgain) {
  const std::string id = submit("slow");
  const ShownJob before = under_way(id);
  start();
  const ShownJob after = jobs_->find(id);
  EXPECT_EQ(after.state, JobState::running);
  EXPECT_EQ(after.pid, before.pid);
  EXPECT_TRUE(after.progress);
  jobs_->cancel(id);
  EXPECT_EQ(ended(id).state, JobState::cancelled);
}

TEST_F(JobsTest, AreInterruptedWhereTheirProcessIsKilled) {
  const std::string seen = submit("slow"), unseen = submit("slow");
  ::kill(static_cast<pid_t>(under_way(seen).pid), SIGKILL);
  EXPECT_EQ(ended(seen).state, JobState::interrupted);
  const auto pid = static_cast<pid_t>(under_way(unseen).pid);
  jobs_.reset();
  ::kill(pid, SIGKILL);
  ::usleep(100'000);
  start();
  EXPECT_EQ(state(unseen), JobState::interrupted);
}

TEST_F(JobsTest, TellTheirExitCodesWhoeverWaited) {
  const std::string id = submit("late");
  const ShownJob before = under_way(id);
  jobs_.reset();
  std::ofstream(folder_of(id) / "go") << "";
  const ProcessId process{static_cast<pid_t>(before.pid), before.start_ticks};
  for (int i = 0; i < 1000 && is_running(process); ++i) ::usleep(20'000);
  start();
  const ShownJob after = ended(id);
  EXPECT_EQ(after.state, JobState::success);
  EXPECT_EQ(after.exit_code, 3);
  EXPECT_THAT(after.message, HasSubstr("goal was missed"));
}

TEST_F(JobsTest, LeaveNoProcessBehind) {
  const std::string id = submit("parent");
  const auto pid = static_cast<pid_t>(under_way(id).pid);
  const std::string mark = folder_of(id).string();
  const auto count = [&] {
    return std::ranges::count(processes_with(kJobMark), mark, &FoundProcess::value);
  };
  for (int i = 0; i < 200 && count() < 2; ++i) ::usleep(20'000);
  EXPECT_GE(count(), 2);
  ::kill(pid, SIGKILL);
  ended(id);
  for (int i = 0; i < 200 && count() > 0; ++i) ::usleep(20'000);
  EXPECT_EQ(count(), 0);
}

TEST_F(JobsTest, BeginWhereAServerDiedBeforeTheyHad) {
  const std::string id = submit("ok");
  ended(id);
  jobs_.reset();
  Job job = read_job(folder_of(id));
  job.state = JobState::running;
  job.pid = 1;  // somebody else's
  job.start_ticks = 1;
  write_job(store_, folder_of(id), job);
  fs::resize_file(folder_of(id) / kJobLog, 0);
  start();
  EXPECT_EQ(ended(id).state, JobState::success);
}

TEST_F(JobsTest, AreShownWhereTheirRecordIsDamaged) {
  const std::string id = submit("ok");
  ended(id);
  jobs_.reset();
  const auto damage = [&](std::string_view text) {
    std::ofstream(folder_of(id) / kJobRecord, std::ios::binary) << text;
    start();
    return jobs_->find(id);
  };
  for (const std::string& text : {std::string(), std::string("{"), std::string("[]"),
                                  std::string(5000, '['), std::string(R"({"state": "done"})"),
                                  std::string(R"({"pid": "x"})"), std::string(2'000'000, ' ')}) {
    const ShownJob job = damage(text);
    EXPECT_EQ(job.state, JobState::failure);
    EXPECT_THAT(job.message, HasSubstr(kJobRecord));
    EXPECT_EQ(jobs_->list().size(), 1U);
  }
  EXPECT_THAT(damage(R"({"format": 99})").message, HasSubstr("update quantlens"));
  jobs_->remove(id, "");
  EXPECT_TRUE(jobs_->list().empty());
  EXPECT_FALSE(fs::exists(folder_of(id)));
}

TEST_F(JobsTest, LoseAServersUnfinishedWork) {
  fs::create_directories(folder_of("unmade") / "made");
  std::ofstream(folder_of("unmade") / "job.json.part17") << "{";
  fs::create_directories(folder_of(".removed-x"));
  fs::create_symlink("/etc", folder_of("link"));
  start();
  EXPECT_TRUE(jobs_->list().empty());
  EXPECT_FALSE(fs::exists(folder_of("unmade")));
  EXPECT_FALSE(fs::exists(folder_of(".removed-x")));
  EXPECT_TRUE(fs::exists("/etc"));
}

TEST_F(JobsTest, AreRemovedWithWhatTheyMade) {
  const std::string id = submit("slow");
  under_way(id);
  EXPECT_THROW(jobs_->remove(id, id), Refusal);
  jobs_->cancel(id);
  ended(id);
  std::ofstream(folder_of(id) / "made" / "net.int8.onnx") << "x";
  EXPECT_THROW(jobs_->remove(id, ""), Refusal);
  jobs_->remove(id, id);
  EXPECT_FALSE(fs::exists(folder_of(id)));
  EXPECT_THROW(jobs_->remove(id, id), Refusal);
}

TEST_F(JobsTest, AreCheckedAgainBeforeTheyBegin) {
  const std::string first = submit("slow", 2), second = submit("ok");
  under_way(first);
  fs::remove(root_ / "ok.onnx");
  fs::create_symlink("/etc/passwd", root_ / "ok.onnx");
  jobs_->cancel(first);
  const ShownJob job = ended(second);
  EXPECT_EQ(job.state, JobState::failure);
  EXPECT_THAT(job.message, HasSubstr("not below a folder"));
  EXPECT_EQ(job.pid, 0);
}

TEST_F(JobsTest, AreRunByOneServerOfAWorkspace) {
  const std::string id = submit("ok");
  ended(id);
  Jobs other(store_, workspace_, events_, {.roots = {root_}, .program = root_ / "program"});
  EXPECT_EQ(other.find(id).state, JobState::success);
  EXPECT_THROW(other.submit({{"verb", "benchmark"}, {"model", (root_ / "ok.onnx").string()}}),
               Refusal);
  EXPECT_THROW(other.remove(id, id), Refusal);
}

TEST_F(JobsTest, ForgetTheBeginningOfALongLog) {
  const fs::path file = base_ / "log";
  JobLog log(file);
  std::ofstream out(file);
  out << R"({"event":"workload","id":"w"})"
      << "\n";
  for (int i = 0; i < 60'000; ++i)
    out << fmt::format(R"({{"event":"progress","step":"s","done":{},"seconds":1.0,"total":60000}})",
                       i)
        << "\n";
  out.close();
  EXPECT_TRUE(log.read());
  EXPECT_EQ(log.workload(), "w");
  ASSERT_TRUE(log.progress());
  EXPECT_EQ(log.progress()->done, 59'999U);
  EXPECT_NEAR(*log.progress()->remaining_seconds, 1.0 / 59'999, 1e-9);
  const LogPart part = log_part(file, 0, 10'000);
  EXPECT_TRUE(part.text.starts_with("{\"event\"")) << part.text.substr(0, 40);
  EXPECT_TRUE(part.text.ends_with("}\n"));
  EXPECT_EQ(part.end - part.begin, part.text.size());
}

TEST(HeldProcess, DoesNotBeginUnlessItIsReleased) {
  TemporaryFolder folder;
  const fs::path output = folder.path() / "output";
  const ProcessStart start{.program = "/bin/sh",
                           .arguments = {"sh", "-c", "echo begun; ls /proc/self/fd | wc -l"},
                           .environment = {},
                           .folder = folder.path(),
                           .output = output,
                           .error = output};
  { const HeldProcess never(start); }
  EXPECT_EQ(fs::file_size(output), 0U);
  HeldProcess held(start);
  EXPECT_TRUE(is_running(held.id()));
  EXPECT_FALSE(is_running({held.id().pid, held.id().start_ticks + 1}));
  held.release();
  std::optional<int> status;
  for (int i = 0; i < 500 && !status; ++i) {
    ::usleep(10'000);
    status = take_status(held.id());
  }
  EXPECT_EQ(status, 0);
  std::ifstream in(output);
  std::string first;
  int open_files = 0;
  in >> first >> open_files;
  EXPECT_EQ(first, "begun");
  EXPECT_EQ(open_files, 4);  // its three, and the folder that ls looks at
}

TEST(Queue, LetsNoneOvertake) {
  const std::vector<unsigned> waiting = {2, 1, 4, 1};
  EXPECT_EQ(jobs_to_begin(waiting, 0, 4), 2U);
  EXPECT_EQ(jobs_to_begin(waiting, 0, 8), 4U);
  EXPECT_EQ(jobs_to_begin(waiting, 3, 4), 0U);
  EXPECT_EQ(jobs_to_begin(waiting, 0, 0), 0U);
  EXPECT_EQ(jobs_to_begin({}, 0, 4), 0U);
  const std::vector<unsigned> large = {9, 1};
  EXPECT_EQ(jobs_to_begin(large, 0, 4), 1U);  // of a larger budget: alone
  EXPECT_EQ(jobs_to_begin(large, 1, 4), 0U);
}

}  // namespace
}  // namespace quantlens::server
