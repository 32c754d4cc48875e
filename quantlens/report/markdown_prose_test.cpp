// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/markdown_prose.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(MarkdownProse, EscapesMarksButNoUnderscoreInsideAWord) {
  EXPECT_EQ(markdown_prose("a_b _c_ *d* <e> |f| `g` [h] #i $j$ ~k~ &amp; \\l"),
            "a_b \\_c\\_ \\*d\\* \\<e\\> \\|f\\| \\`g\\` \\[h\\] \\#i \\$j\\$ \\~k\\~ "
            "\\&amp; \\\\l");
}

TEST(MarkdownCode, HasAFenceThatItsTextDoesNotHave) {
  EXPECT_EQ(markdown_code("a"), "`a`");
  EXPECT_EQ(markdown_code("a``b"), "```a``b```");
}

TEST(MarkdownLines, MakesAParagraphOfEachLine) {
  EXPECT_EQ(markdown_lines("one *a*\ntwo\n"), "one \\*a\\*\n\ntwo\n\n");
  EXPECT_EQ(markdown_lines("\none"), "one\n\n");
  EXPECT_EQ(markdown_lines(""), "");
}

TEST(MarkdownLines, KeepIndentedLinesAsCode) {
  EXPECT_EQ(markdown_lines("Try:\n  a *b*\n  c\nend\n"),
            "Try:\n\n```text\na *b*\nc\n```\n\nend\n\n");
  EXPECT_EQ(markdown_lines("  ```\n  x\n"), "````text\n```\nx\n````\n\n");
}

TEST(MarkdownLines, AreNoListsRulesOrHeadingsByTheirNames) {
  EXPECT_EQ(markdown_lines("- a\n"), "\\- a\n\n");
  EXPECT_EQ(markdown_lines("---\n"), "\\---\n\n");
  EXPECT_EQ(markdown_lines("12. model.onnx\n"), "12\\. model.onnx\n\n");
  EXPECT_EQ(markdown_lines("12 ops\n"), "12 ops\n\n");
  EXPECT_EQ(markdown_lines("# a\n"), "\\# a\n\n");
}

}  // namespace
}  // namespace quantlens
