// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SplitWords, IsAtBlanksOutsideOfQuotations) {
  EXPECT_THAT(split_words("python  eval.py\t--fast"), ElementsAre("python", "eval.py", "--fast"));
  EXPECT_THAT(split_words("'my eval' --name=\"a b\"c"), ElementsAre("my eval", "--name=a bc"));
  EXPECT_THAT(split_words(" '' "), ElementsAre(""));
  EXPECT_THAT(split_words("  "), IsEmpty());
}

TEST(SplitWords, KeepsWhatABackslashIsBefore) {
  EXPECT_THAT(split_words(R"(a\ b 'c\d' "e\"f\\g\h" i\\)"),
              ElementsAre("a b", R"(c\d)", R"(e"f\g\h)", R"(i\)"));
  EXPECT_THAT(split_words(R"("\$0 \`id\` $1")"), ElementsAre("$0 `id` $1"));
  EXPECT_THAT(split_words("a\\"), ElementsAre("a\\"));
}

TEST(SplitWords, ExpandsNothing) {
  EXPECT_THAT(split_words("$HOME `id` *;rm"), ElementsAre("$HOME", "`id`", "*;rm"));
}

TEST(SplitWords, WantsTheEndOfAQuotation) {
  EXPECT_THROW(split_words("'eval"), Error);
  EXPECT_THROW(split_words("\"eval\\\""), Error);
}

TEST(BeforeComma, PassesOverQuotedOnes) {
  EXPECT_EQ(before_comma("eval.py,timeout=5"), 7u);
  EXPECT_EQ(before_comma("'a,b' c,d"), 7u);
  EXPECT_EQ(before_comma("a\\,b"), 4u);
}

}  // namespace
}  // namespace quantlens
