// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace quantlens {

/// What ops that a runtime computes together cost in either precision, in microseconds of one run.
struct GroupPrice {
  std::vector<std::string> ops;  ///< ids in the reference
  double float_us = 0;
  double int8_us = 0;  ///< of its kernels; as float_us where none was seen
  /// The same where it reads from a group of the other precision: the layout of what it reads is
  /// another there, and with it the kernel.
  double float_beside_us = 0, int8_beside_us = 0;
  bool seen_in_int8 = false;
  /// In int8 wherever what it reads is: the runtime moves the DequantizeLinear behind it.
  bool passes_codes = false;
  /// Its integer kernel can give floats: where all readers want these, nothing is dequantized.
  bool gives_floats = false;
};
BOOST_DESCRIBE_STRUCT(GroupPrice, (),
                      (ops, float_us, int8_us, float_beside_us, int8_beside_us, seen_in_int8,
                       passes_codes, gives_floats))

/// A value between groups, and what it costs to convert it. A number past the groups is the
/// outside: the model's input or output, which is float.
struct ValuePrice {
  std::string value;              ///< of the reference
  std::uint64_t from = 0;         ///< number of the group that makes it
  std::vector<std::uint64_t> to;  ///< of those that read it
  double quantize_us = 0;         ///< once, where from is float and any reader int8
  double dequantize_us = 0;       ///< for each float reader, where from is int8 and gives codes
};
BOOST_DESCRIBE_STRUCT(ValuePrice, (), (value, from, to, quantize_us, dequantize_us))

/// What each op's precision costs on one machine, with so many threads.
struct Prices {
  unsigned threads = 0;
  std::vector<GroupPrice> groups;
  std::vector<ValuePrice> values;
  double float_rest_us = 0;  ///< of a run with all in float: what is not in the prices
  double int8_rest_us = 0;   ///< likewise, with all in int8 that was
};
BOOST_DESCRIBE_STRUCT(Prices, (), (threads, groups, values, float_rest_us, int8_rest_us))

}  // namespace quantlens
