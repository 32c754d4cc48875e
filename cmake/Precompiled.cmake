# SPDX-License-Identifier: Apache-2.0
# Headers that most sources include are compiled once: for all libraries and for all tests. Ours among them are read by
# a third of all sources or more, so that a change of one compiles nearly everything anew in any case. What is precompiled
# hides a missing #include: clang-tidy (preset tidy) reads what changed without, QUANTLENS_CHECK_INCLUDES compiles without.
set(QUANTLENS_PRECOMPILED
  <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <optional> <set> <span> <sstream>
  <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector>
  <boost/describe.hpp> <boost/json/value.hpp> <boost/mp11.hpp> <fmt/format.h>
  <quantlens/base/json.h> <quantlens/graph/model.h> <quantlens/graph/order.h> <quantlens/record/diagnosis.h>
  <quantlens/record/pairing.h> <quantlens/record/plan.h> <quantlens/record/recipe.h>)

# The targets that own them are compiled with the flags of those that use them: libraries and executables differ.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "int main() {}\n")
add_library(quantlens_precompiled OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(quantlens_precompiled PRIVATE quantlens_flags Boost::headers Boost::json fmt::fmt Threads::Threads)
target_include_directories(quantlens_precompiled PRIVATE ${PROJECT_SOURCE_DIR})
target_precompile_headers(quantlens_precompiled PRIVATE ${QUANTLENS_PRECOMPILED})
if(QUANTLENS_BUILD_TESTS)
  add_executable(quantlens_precompiled_tests EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_compile_options(quantlens_precompiled_tests PRIVATE ${QUANTLENS_TEST_OPTIONS})
  target_link_libraries(quantlens_precompiled_tests PRIVATE
    quantlens_flags Boost::headers Boost::json fmt::fmt Threads::Threads GTest::gmock GTest::gtest)
  target_include_directories(quantlens_precompiled_tests PRIVATE ${PROJECT_SOURCE_DIR})
  target_precompile_headers(quantlens_precompiled_tests PRIVATE
    ${QUANTLENS_PRECOMPILED} <gmock/gmock.h> <gtest/gtest.h>)
endif()
