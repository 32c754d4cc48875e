// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/markup.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(EscapedMarkup, LeavesNoElementAndEndsNoAttribute) {
  EXPECT_EQ(escaped_markup("</pre><a b=\"c\">&lt;"),
            "&lt;/pre&gt;&lt;a b=&quot;c&quot;&gt;&amp;lt;");
  EXPECT_EQ(escaped_markup("as it is\n'"), "as it is\n'");
}

}  // namespace
}  // namespace quantlens
