// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/inspection_text.h"

#include <gmock/gmock.h>

namespace quantlens {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A Conv that would be int8, a root that would not, and a constant, which is not counted.
Inspection some_model() {
  Inspection model{.path = "net.onnx", .format = "onnx", .opsets = {{"", 13}, {"com.x", 1}}};
  model.inputs = {{.name = "x\x1b", .dtype = "float32", .shape = "[N,3]"}};
  model.ops = {{.op = {"c", "conv"},
                .type = "Conv",
                .kind = Kind::conv,
                .members = {"c"},
                .quantized = true,
                .precision = Precision::int8},
               {.op = {"r", "root"}, .type = "Sqrt", .kind = Kind::sqrt, .reason = "no kernel"},
               {.op = {"k", "constant"}, .type = "Constant", .kind = Kind::constant}};
  model.would_quantize = 1;
  return model;
}

TEST(InspectionText, SaysWhatAModelHolds) {
  const std::string text = inspection_text(some_model(), {});
  EXPECT_THAT(text, HasSubstr("net.onnx: onnx, "));
  EXPECT_THAT(text, HasSubstr("opset ai.onnx 13, com.x 1\n"));
  EXPECT_THAT(text, HasSubstr("1 of 2 ops would be quantized\n"));
  EXPECT_THAT(text, HasSubstr("no kernel"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "a terminal would obey it";
  EXPECT_THAT(text, Not(HasSubstr("codes already")));
}

TEST(InspectionText, OfAQuantizedModelSaysWhatComputesOnCodes) {
  Inspection model = some_model();
  model.on_codes = 2;
  model.metadata["quantlens.format"] = "qdq";
  const std::string text = inspection_text(model, {});
  EXPECT_THAT(text, HasSubstr("2 of 2 ops compute on codes already\n"));
  EXPECT_THAT(text, HasSubstr("quantized by quantlens, format qdq\n"));
}

TEST(InspectionText, HasNoTableOfReasonsWhereConstantsAloneStayFloat) {
  Inspection model = some_model();
  EXPECT_THAT(inspection_text(model, {}), HasSubstr("Ops that stayed float"));
  model.ops.erase(model.ops.begin() + 1);
  EXPECT_THAT(inspection_text(model, {}), HasSubstr("1 of 1 ops would be quantized\n"));
  EXPECT_THAT(inspection_text(model, {}), Not(HasSubstr("Ops that stayed float")));
}

TEST(InspectionTable, CountsOpsByWhatTheyAreComputedIn) {
  EXPECT_EQ(to_csv(inspection_table(some_model())),
            "Op Type,Total,INT8,FP32\r\nConv,1,1,0\r\nSqrt,1,0,1\r\n");
}

}  // namespace
}  // namespace quantlens
