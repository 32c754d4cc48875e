// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/probe_models.h"

#include <gmock/gmock.h>

#include "quantlens/base/error.h"
#include "quantlens/frontend/graphdef/small_graphs.h"

namespace quantlens::graphdef {
namespace {

using testing::ElementsAre;

TEST(ProbeModels, AChainHasAsManyOpsAsAreWanted) {
  const Model model = frontend::chain_model("graphdef", 5, 64);
  EXPECT_EQ(model.format, "graphdef");
  EXPECT_THAT(types_of(model.graph.nodes),
              ElementsAre("Maximum", "Minimum", "Maximum", "Minimum", "Maximum"));
  EXPECT_THAT(names_of(model.graph.inputs), ElementsAre("x0"));
  EXPECT_THAT(names_of(model.graph.outputs), ElementsAre("x5"));
  EXPECT_EQ(model.graph.inputs[0].shape->at(1).extent, 64);
}

TEST(ProbeModels, AProductIsOneOpOfFloatsOrCodes) {
  const Model floats = frontend::product_model("graphdef", 16, false);
  EXPECT_THAT(types_of(floats.graph.nodes), ElementsAre("MatMul"));
  const Model codes = frontend::product_model("graphdef", 16, true);
  EXPECT_THAT(types_of(codes.graph.nodes), ElementsAre("_QuantizedMatMul"));
  EXPECT_EQ(codes.graph.inputs[0].dtype, DType::uint8);
}

TEST(ProbeModels, AreRefusedOfAnotherFormat) {
  EXPECT_THROW((void)frontend::chain_model("pytorch", 5, 64), Error);
}

}  // namespace
}  // namespace quantlens::graphdef
