// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

std::string words(const Figures& f) {
  return f.text("text");
}

std::string at_value(const Figures& f) {
  return fmt::format("at its value {}: ", f.text("value"));
}

std::string and_also(const Figures& f) {
  return f.has("op") ? fmt::format("; and at {}: ", f.text("op")) : "; and ";
}

std::string share_includes(const Figures& f) {
  return fmt::format("; the share includes what begins at {}",
                     f.has("value") ? "its value " + f.text("value") : f.text("op"));
}

std::string left_in_float(const Figures& f) {
  const std::uint64_t others = f.count("other_ops");
  return fmt::format("; the share includes {}{}, which the quantizer then leaves in float",
                     f.text("op"),
                     others == 0 ? "" : fmt::format(" and {}", counted(others, "more op")));
}

/// "2 of 3 were measured"
std::string measured(const Figures& f) {
  const std::uint64_t causes = f.count("causes");
  return fmt::format("{} of {} {} measured", f.count("measured"), causes,
                     causes == 1 ? "was" : "were");
}

std::string in_doubt(const Figures& f) {
  return fmt::format(
      "no share is surely above 0 ({}), so what makes the error is not known; by the ops' own "
      "errors, mistakes first, it may be this: ",
      measured(f));
}

std::string none_alone(const Figures& f) {
  return fmt::format(
      "nothing that was tried in float by itself takes error away for sure ({}), so what makes the "
      "error is not known; errors may hide each other",
      measured(f));
}

std::string made_together(const Figures& f) {
  return fmt::format(
      "{} ops have this mistake, and while the others have it none of them gives {} back by "
      "itself: ",
      f.count("ops"), f.text("alone") == "nothing" ? "anything" : "much");
}

constexpr Sentence kCauseSentences[] = {
    {"words", words},
    {"at_value", at_value},
    {"and_also", and_also},
    {"share_includes", share_includes},
    {"share_includes.left_in_float", left_in_float},
    {"in_doubt", in_doubt},
    {"in_doubt.none_alone", none_alone},
    {"made_together", made_together},
};

}  // namespace

std::span<const Sentence> cause_sentences() {
  return kCauseSentences;
}

}  // namespace quantlens
