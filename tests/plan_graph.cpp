// Plans a model with given ranges and writes it, through the library: what `quantize` does where a
// runtime calibrates. For tests of formats.
//   plan_graph MODEL                      the values whose ranges are wanted, one a line
//   plan_graph MODEL RANGES OUT [RECIPE]  RANGES has lines "VALUE MIN MAX"; prints "OP REASON" of
//                                         what stays float, and notes
//   plan_graph MODEL --pair QUANTIZED     the pairs, "value|weight REFERENCE QUANTIZED SIDE
//                                         CONFIRMED", and changes
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "quantlens/base/store.h"
#include "quantlens/base/words.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/recipe/read_recipe.h"
#include "quantlens/runtime/constants.h"

namespace {

using namespace quantlens;  // NOLINT(google-build-using-namespace): a program of one file

Ranges read_ranges(const char* path) {
  Ranges ranges;
  std::ifstream file(path);
  for (ValueRange range; file >> range.value >> range.min >> range.max;)
    ranges.values.push_back(range);
  return ranges;
}

void print_pairs(const Model& reference, const Model& quantized) {
  const Pairing pairing = pair(reference, quantized);
  for (const ValuePair& one : pairing.pairs) {
    const std::string side(word(one.side));
    std::printf("value %s %s %s %s\n", one.reference.c_str(), one.quantized.c_str(), side.c_str(),
                one.confirmed ? "confirmed" : "open");
  }
  for (const WeightPair& one : pairing.weights)
    std::printf("weight %s %s - -\n", one.reference.c_str(), one.quantized.c_str());
  for (const Change& change : pairing.changes) {
    const std::string rule(word(change.rule));
    std::printf("change %s %s - -\n", change.op.id.c_str(), rule.c_str());
  }
}

int run(int count, char** arguments) {
  const Model model = frontend::read(arguments[1]);
  if (count == 4 && std::string_view(arguments[2]) == "--pair") {
    print_pairs(model, frontend::read(arguments[3]));
    return 0;
  }
  const Indexed indexed = quantlens::indexed(model);
  const Analyzed analyzed(indexed);
  const Draft draft(analyzed, count > 4 ? read_recipe(arguments[4], "recipe") : Recipe());
  if (count < 4) {
    for (const std::string& value : draft.values_to_calibrate()) std::printf("%s\n", value.c_str());
    return 0;
  }
  const PlanResult result = make_plan(draft, read_ranges(arguments[2]), Target());
  for (const OpPlan& op : result.plan.ops) {
    if (!op.quantized) std::printf("%s %s\n", op.op.id.c_str(), op.reason.c_str());
  }
  for (const std::string& note : result.notes) std::printf("note: %s\n", note.c_str());
  DiskStore store;
  for (const std::string& note : frontend::apply(model, result.plan, {}, store, arguments[3]))
    std::printf("note: %s\n", note.c_str());
  return 0;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 2) return std::fprintf(stderr, "plan_graph MODEL [RANGES OUT [RECIPE]]\n"), 2;
  return run(count, arguments);
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
