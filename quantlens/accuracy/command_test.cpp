// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/command.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A shell command; the model's path is its $1.
std::string shell(const std::string& command, const std::string& options = "") {
  return "command:sh -c '" + command + "' sh" + options;
}

Accuracy accuracy_of(const std::string& metric) {
  return command_accuracy(parse_metric(metric), "m.onnx", NoProgress());
}

std::string command_failure(Errc code, const std::string& metric) {
  try {
    accuracy_of(metric);
  } catch (const Error& error) {
    return error.code() == code ? error.what() : std::string("another code: ") + error.what();
  }
  return "no failure";
}

/// Asks to stop after a while.
class Stopping final : public Progress {
 public:
  void begin(std::string_view, std::optional<std::uint64_t>) override {}
  void advance(std::uint64_t) override {}
  void end() override {}
  void note(std::string_view) override {}
  bool stop_requested() const override {
    return std::chrono::steady_clock::now() - started_ > std::chrono::milliseconds(300);
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

TEST(Command, IsTheNumberThatAProgramPrintsLast) {
  const Accuracy accuracy = accuracy_of(shell("echo loading; echo 0.75"));
  EXPECT_EQ(accuracy.value, 0.75);
  EXPECT_EQ(accuracy.metric, "command");
  EXPECT_FALSE(accuracy.interval.has_value());
  EXPECT_TRUE(accuracy.higher_is_better);
  EXPECT_EQ(accuracy_of(shell("printf \"%s\" +1e3; echo noise >&2")).value, 1000);
}

TEST(Command, GetsTheWholePathOfTheModelAndNoInput) {
  EXPECT_EQ(accuracy_of(shell("case $1 in /*/m.onnx) echo 1;; *) echo 0;; esac")).value, 1);
  EXPECT_EQ(accuracy_of(shell("cat; echo 3")).value, 3);
}

TEST(Command, TakesOptionsBehindAComma) {
  const MetricSpec spec = parse_metric("command:'a,b' c,timeout=5,higher_is_better=false");
  EXPECT_EQ(spec.program, "'a,b' c");
  EXPECT_FALSE(is_higher_better(spec));
  EXPECT_FALSE(needs_data(spec));
  EXPECT_THAT(command_failure(Errc::usage, "command:a --layers=1,2"),
              HasSubstr("a comma that belongs to the program must be in quotes"));
  EXPECT_THAT(command_failure(Errc::usage, "command:a,timeuot=5"),
              HasSubstr("did you mean 'timeout'"));
  EXPECT_THAT(command_failure(Errc::usage, "command:a,timeout=0"), HasSubstr("a number above 0"));
  EXPECT_THAT(command_failure(Errc::usage, "command"), HasSubstr("names no program"));
  EXPECT_THAT(command_failure(Errc::usage, "command:"), HasSubstr("names no program"));
  EXPECT_THAT(command_failure(Errc::usage, "command:'a"), HasSubstr("no end"));
}

TEST(Command, SaysWhyThereIsNoNumber) {
  EXPECT_THAT(
      command_failure(Errc::failed, shell("echo 1; echo no such data >&2; exit 3")),
      AllOf(HasSubstr("sh: ended with exit code 3 (no such data)"), HasSubstr("must print")));
  EXPECT_THAT(command_failure(Errc::failed, shell("kill -9 $$")), HasSubstr("signal 9"));
  EXPECT_THAT(command_failure(Errc::failed, shell("true")), HasSubstr("printed no number"));
  EXPECT_THAT(command_failure(Errc::failed, shell("echo nan")),
              HasSubstr("'nan' last, which is no finite"));
  EXPECT_THAT(command_failure(Errc::failed, shell("echo 1; echo 78.2%")), HasSubstr("'78.2%'"));
  EXPECT_THAT(command_failure(Errc::failed, shell("yes")), HasSubstr("more than 1 MB"));
  EXPECT_THAT(command_failure(Errc::failed, "command:/no/such/program"),
              HasSubstr("/no/such/program: the program of --metric command cannot be started: No "
                        "such file or directory; check the path"));
}

TEST(Command, IsEndedAfterItsTime) {
  EXPECT_THAT(command_failure(Errc::failed, shell("sleep 60", ",timeout=0.3")),
              HasSubstr("was ended after 0.3 seconds"));
  EXPECT_THAT(command_failure(Errc::failed, shell("exec >&-; sleep 60", ",timeout=0.3")),
              HasSubstr("was ended after 0.3 seconds"));
}

TEST(Command, IsNotWaitedForByWhatItLeavesBehind) {
  EXPECT_EQ(accuracy_of(shell("sleep 60 & echo 5", ",timeout=20")).value, 5);
}

TEST(Command, EndsWhereProgressAsksToStop) {
  EXPECT_THROW(
      {
        try {
          command_accuracy(parse_metric(shell("sleep 60")), "m.onnx", Stopping());
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), Errc::interrupted);
          throw;
        }
      },
      Error);
}

}  // namespace
}  // namespace quantlens
