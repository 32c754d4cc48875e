// SPDX-License-Identifier: Apache-2.0
// Quantizes a model with the library, and prints where its error is greatest and what it costs.
#include <cstdio>
#include <exception>

#include "quantlens/base/cores.h"
#include "quantlens/flow/quantize.h"

int main(int argc, char** argv) try {
  if (argc != 5) return std::fputs("usage: MODEL DATA OUTPUT WORKSPACE\n", stderr), 2;
  quantlens::DiskStore store;
  quantlens::NoProgress progress;
  const quantlens::flow::Session session{.store = store,
                                         .progress = progress,
                                         .workspace = argv[4],
                                         .name = "example",
                                         .arguments = {},
                                         .threads = quantlens::available_cores()};
  quantlens::flow::QuantizeOptions options;
  options.model = argv[1];
  options.data.data = argv[2];
  options.output = argv[3];
  options.recipe.op_type_dict["Gemm"].activation.dtype = quantlens::AskedDtype::fp32;
  options.diagnose = true;
  options.metric = quantlens::parse_metric("top1");
  const auto result = quantlens::flow::quantize(options, session);
  const quantlens::ActivationRow& worst = result.diagnosis->activations.at(0);
  std::printf("worst op: %s, %.2f dB\n", worst.op.name.c_str(), worst.sqnr_db);
  std::printf("top1: %.4f of %.4f\n", result.accuracy->quantized.value,
              result.accuracy->reference->value);
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
