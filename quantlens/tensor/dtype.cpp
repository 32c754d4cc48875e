// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/dtype.h"

#include <algorithm>
#include <iterator>

namespace quantlens {

namespace {

struct Entry {
  DType dtype;
  std::string_view name;
};

constexpr Entry kDTypes[] = {
    {DType::float32, "float32"},   {DType::float64, "float64"}, {DType::float16, "float16"},
    {DType::bfloat16, "bfloat16"}, {DType::int8, "int8"},       {DType::uint8, "uint8"},
    {DType::int16, "int16"},       {DType::uint16, "uint16"},   {DType::int32, "int32"},
    {DType::uint32, "uint32"},     {DType::int64, "int64"},     {DType::uint64, "uint64"},
    {DType::int4, "int4"},         {DType::uint4, "uint4"},     {DType::boolean, "boolean"},
    {DType::string, "string"}};

}  // namespace

std::string_view name(DType dtype) {
  const auto* found = std::ranges::find(kDTypes, dtype, &Entry::dtype);
  return found == std::end(kDTypes) ? "unknown" : found->name;
}

std::optional<DType> dtype_from_name(std::string_view text) {
  const auto* found = std::ranges::find(kDTypes, text, &Entry::name);
  return found == std::end(kDTypes) ? std::nullopt : std::optional(found->dtype);
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
