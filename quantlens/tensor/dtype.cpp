// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/dtype.h"

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

namespace quantlens {

std::string_view name(DType dtype) {
  std::string_view found = "unknown";
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<DType>>([&](auto enumerator) {
    if (enumerator.value == dtype) found = enumerator.name;
  });
  return found;
}

std::optional<DType> dtype_from_name(std::string_view text) {
  std::optional<DType> found;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<DType>>([&](auto enumerator) {
    if (text == enumerator.name) found = enumerator.value;
  });
  return found;
}

std::size_t byte_size(DType dtype) {
  switch (dtype) {
    case DType::float64:
    case DType::int64:
    case DType::uint64:
      return 8;
    case DType::float32:
    case DType::int32:
    case DType::uint32:
      return 4;
    case DType::float16:
    case DType::bfloat16:
    case DType::int16:
    case DType::uint16:
      return 2;
    case DType::int8:
    case DType::uint8:
    case DType::int4:
    case DType::uint4:
    case DType::boolean:
      return 1;
    case DType::string:
      break;
  }
  return 0;
}

bool is_float(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16 ||
         dtype == DType::bfloat16;
}

}  // namespace quantlens
