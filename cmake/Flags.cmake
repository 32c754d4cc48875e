# SPDX-License-Identifier: Apache-2.0
# quantlens_flags: how our own targets are compiled; nothing leaks to whoever links them.
add_library(quantlens_flags INTERFACE)
target_compile_options(quantlens_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion
  # Of several sources as one, each constant of another would be shadowed; preset tidy has them apart.
  $<$<NOT:$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wshadow>
  # Designated initializers name what differs from the defaults; what they leave out is meant.
  -Wno-missing-field-initializers
  # No multiply and add is fused into one rounding: a record must be equal byte for byte whether a loop
  # was compiled for a CPU with FMA or without. For the same reason there is no -march=native; Highway
  # picks the instruction set at run time, and where it wants an FMA it says so.
  -ffp-contract=off)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(quantlens_flags INTERFACE -Wno-subobject-linkage)  # it takes a source in a group for a header
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(quantlens_flags INTERFACE -Wno-restrict)  # false alarm on std::string + (GCC bug 105651)
endif()
# Most of a test runs once, so its compiling counts: -Og takes a third less than -O2.
set(QUANTLENS_TEST_OPTIONS -Og)
# Clang's sanitizers double the time of its -O1, so preset asan has -O0; these modules' loops are most of what its tests
# run. GoogleTest names the lines of a failed test, so tests have no debug information there.
set(QUANTLENS_OPTIMISED_MODULES)
if(QUANTLENS_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(QUANTLENS_TEST_OPTIONS -g0)
  set(QUANTLENS_OPTIMISED_MODULES base tensor stats record)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Else it refuses a precompiled header that ccache had from another day.
  target_compile_options(quantlens_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()

# There are some thirty programs of tests, in three builds.
if(QUANTLENS_BUILD_TESTS)
  find_program(QUANTLENS_MOLD mold)
  mark_as_advanced(QUANTLENS_MOLD)
  if(QUANTLENS_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()

if(QUANTLENS_SANITIZE)
  # On every target and not by quantlens_flags: a program must be linked as its libraries are compiled.
  add_compile_options(-fsanitize=${QUANTLENS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${QUANTLENS_SANITIZE})
endif()
if(QUANTLENS_FUZZ)
  # What -fsanitize=fuzzer-no-link adds, but as options that a precompiled header need not have. Fuzzers see by it what
  # the modules do that they name; for all others it would cost a sixth of the compiling.
  set(QUANTLENS_FUZZED_OPTIONS -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "QUANTLENS_FUZZ needs Clang, for its libFuzzer; configure with: cmake --preset asan")
  endif()
endif()
if(QUANTLENS_TIDY)
  find_program(QUANTLENS_CLANG_TIDY NAMES clang-tidy-14 clang-tidy REQUIRED)
endif()
