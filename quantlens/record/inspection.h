// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/graph/outline.h"
#include "quantlens/record/plan.h"

namespace quantlens {

/// What can be said of a model without running it.
struct Inspection {
  std::string path;
  std::string format;
  std::uint64_t file_bytes = 0;
  std::uint64_t weight_bytes = 0;
  std::uint64_t parameters = 0;
  std::map<std::string, std::int64_t> opsets;
  std::string version;  ///< of the format's operators, as people see it: "opset 13", "producer 21"
  std::vector<ValueOutline> inputs;
  std::vector<ValueOutline> outputs;
  std::map<std::string, std::uint64_t> op_counts;  ///< by type
  std::uint64_t on_codes = 0;        ///< ops of a quantized model that compute on codes already
  std::uint64_t would_quantize = 0;  ///< of all others
  std::map<std::string, std::uint64_t> stay_float;  ///< reason -> how many ops
  std::map<std::string, std::string> metadata;      ///< values cut to 200 characters
  std::vector<OpPlan> ops;
  std::vector<std::string> notes;  ///< what cannot be told of such a model, in sentences
};
BOOST_DESCRIBE_STRUCT(Inspection, (),
                      (path, format, file_bytes, weight_bytes, parameters, opsets, version, inputs,
                       outputs, op_counts, on_codes, would_quantize, stay_float, metadata, ops,
                       notes))

}  // namespace quantlens
