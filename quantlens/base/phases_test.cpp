// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/phases.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

using std::chrono::milliseconds;

TEST(Phases, APhaseInsideAnotherIsTakenOffIt) {
  Phases phases;
  const auto begin = std::chrono::steady_clock::now();
  {
    const Phase outer(&phases, "outer");
    {
      const Phase inner(&phases, "inner");
      std::this_thread::sleep_for(milliseconds(20));
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  const double all =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto seconds = phases.seconds();
  EXPECT_GE(seconds.at("inner"), 0.020);
  EXPECT_GE(seconds.at("outer"), 0.005);
  EXPECT_LE(seconds.at("inner") + seconds.at("outer"), all);
}

TEST(Phases, OneOfTheSameNameAddsToTheFirst) {
  Phases phases;
  for (int i = 0; i < 2; ++i) {
    const Phase phase(&phases, "open");
    std::this_thread::sleep_for(milliseconds(3));
  }
  ASSERT_EQ(phases.seconds().size(), 1U);
  EXPECT_GE(phases.seconds().at("open"), 0.006);
}

TEST(Phases, AnEndedPhaseTakesNoMoreTime) {
  Phases phases;
  Phase phase(&phases, "short");
  phase.end();
  const double ended = phases.seconds().at("short");
  std::this_thread::sleep_for(milliseconds(3));
  EXPECT_EQ(phases.seconds().at("short"), ended);
}

TEST(Phases, AWaitForAnotherThreadIsWhatThatThreadDid) {
  Phases phases;
  {
    const Phase phase(&phases, "rest");
    std::this_thread::sleep_for(milliseconds(8));
    phases.spread(0.004, {{"load", 3.0}, {"pair", 1.0}});
  }
  const std::map<std::string, double> seconds = phases.seconds();
  EXPECT_DOUBLE_EQ(seconds.at("load"), 0.003);
  EXPECT_DOUBLE_EQ(seconds.at("pair"), 0.001);
  EXPECT_GE(seconds.at("rest"), 0.004) << "all add up to what was measured";
  phases.spread(1, {});
  EXPECT_EQ(phases.seconds(), seconds);
}

TEST(Phases, NobodyMeasuresWithoutOne) {
  Phase phase(nullptr, "nothing");
  phase.end();
}

}  // namespace
}  // namespace quantlens
