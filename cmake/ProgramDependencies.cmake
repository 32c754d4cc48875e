# SPDX-License-Identifier: Apache-2.0
# What only this tree needs: the program's CLI11::CLI11, the headers of ONNX Runtime, and what tests and benchmarks link.
find_package(CLI11 REQUIRED)

include(Onnxruntime)

if(QUANTLENS_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(Python3 COMPONENTS Interpreter)
  include(GoogleTest)
endif()
if(QUANTLENS_BENCH)
  find_package(benchmark REQUIRED)
endif()
