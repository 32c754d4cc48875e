// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/shell_word.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(ShellWord, IsQuotedWhereItCouldMeanAnythingElse) {
  EXPECT_EQ(shell_word("--data=/a/b-1.npz"), "--data=/a/b-1.npz");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$HOME;`id`"), "'$HOME;`id`'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace quantlens
