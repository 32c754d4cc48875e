// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/uncompared.h"

#include <string>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {
namespace {

/// Ops a to f, all with a counterpart.
Pairing six_ops() {
  Pairing pairing;
  for (const char* value : {"a", "b", "c", "d", "e", "f"}) {
    ValuePair pair{.op = op_ref(std::string("node_") + value)};
    pair.reference = pair.quantized = value;
    pairing.pairs.push_back(pair);
  }
  return pairing;
}

TEST(Uncompared, OpsAreThoseThatHaveACounterpartAndWereLeftOut) {
  Pairing pairing = six_ops();
  EXPECT_TRUE(uncompared_ops(pairing).empty());
  EXPECT_TRUE(uncompared_causes(pairing, {}).empty());
  pairing.not_compared = {{"b", "it would change"}, {"body/x", "it lies in a body"}};
  EXPECT_EQ(uncompared_ops(pairing), std::unordered_set<std::string>{"b"});
  const std::vector<FoundCause> found = uncompared_causes(pairing, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule, "unexplained");
  EXPECT_EQ(found[0].cause.ops, op_refs({"node_b"}));
  EXPECT_TRUE(found[0].is_loud) << "nothing but a measured share speaks for it";
  EXPECT_EQ(said(found[0].cause.reasons), R"(unexplained.not_compared(reason: "it would change"))");
  Diagnosis diagnosis;
  diagnosis.activations.emplace_back().op = op_ref("node_b");
  EXPECT_TRUE(uncompared_causes(pairing, diagnosis).empty()) << "another value of it has a row";
}

TEST(Uncompared, CausesAreAFewSinceEachTakesARun) {
  Pairing pairing = six_ops();
  for (const ValuePair& pair : pairing.pairs) pairing.not_compared.push_back({pair.op.id, "why"});
  EXPECT_EQ(uncompared_causes(pairing, {}).size(), 4U);
  pairing.pairs[0].type = "Input";
  pairing.pairs[1].same_as = 0;
  EXPECT_EQ(uncompared_causes(pairing, {}).front().op, op_ref("node_c"))
      << "inputs and moved values are none";
}

}  // namespace
}  // namespace quantlens
