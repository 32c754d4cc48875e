// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/checkup_text.h"

#include <gtest/gtest.h>

#include "quantlens/base/json.h"

namespace quantlens {
namespace {

Checkup small_checkup() {
  return {
      .version = "1.2.3",
      .cores = 2,
      .vnni = true,
      .workspace = "/runs",
      .runtimes = {
          {.name = "one", .available = true, .version = "9", .where = "/lib/one.so", .problem = ""},
          {.name = "two",
           .available = false,
           .version = "",
           .where = "",
           .problem = "it is not installed"}}};
}

TEST(CheckupText, SaysOfEachRuntimeWhereItIsOrWhyNot) {
  EXPECT_EQ(checkup_text(small_checkup()),
            "quantlens 1.2.3\n"
            "2 cores, 8-bit dot products (VNNI or the like)\n"
            "workspace /runs\n"
            "one 9: ready /lib/one.so\n"
            "two: not available: it is not installed\n");
}

TEST(CheckupMarkdown, IsTheMachineAndATableOfRuntimes) {
  EXPECT_EQ(checkup_markdown(small_checkup()),
            "quantlens 1.2.3\n\n"
            "2 cores, 8-bit dot products (VNNI or the like)\n\n"
            "workspace /runs\n\n"
            "**Runtimes**\n\n"
            "| Runtime | Version | State | Where | Problem |\n"
            "| --- | --- | --- | --- | --- |\n"
            "| one | 9 | ready | /lib/one.so |  |\n"
            "| two |  | not available |  | it is not installed |\n");
}

TEST(Checkup, HasTheseFieldsForPrograms) {
  EXPECT_EQ(json::encode(small_checkup()),
            json::parse(R"({"version": "1.2.3", "cores": 2, "vnni": true, "workspace": "/runs",
                            "runtimes": [
                              {"name": "one", "available": true, "version": "9",
                               "where": "/lib/one.so", "problem": ""},
                              {"name": "two", "available": false, "version": "",
                               "where": "", "problem": "it is not installed"}]})",
                        "wanted"));
}

}  // namespace
}  // namespace quantlens
