# SPDX-License-Identifier: Apache-2.0
# The whole of our build language.
#
#   quantlens_module(stats                       a library quantlens::stats out of this folder
#     SOURCES histogram.cpp moments.cpp          none: a module of headers only
#     HEADERS histogram.h moments.h
#     TESTS   histogram_test.cpp                 one program; each of its cases is a test labelled `unit` (with
#                                                sanitizers: the program is)
#     DEPENDS tensor base                        modules of ours: the architecture, checked by tools/check_layers
#     LINK    hwy::hwy                           third-party targets seen by our sources and tests only
#     LINK_PUBLIC Boost::headers                 ... and by whoever includes our headers
#     TEST_LABELS slow)                          instead of `unit`
#   quantlens_program(quantlens SOURCES main.cpp DEPENDS flow LINK CLI11::CLI11)
#   quantlens_test(diagnose_flow SOURCES diagnose_test.cpp DEPENDS flow LABELS flow)
#   quantlens_python_test(numpy_agrees SCRIPT numpy_agrees.py LABELS flow)
#
# All tests are compiled with QUANTLENS_SOURCE_DIR and QUANTLENS_BUILD_DIR, and a case that calls GTEST_SKIP
# (or a script that exits with 77) is counted as skipped.

function(quantlens_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;TESTS;DEPENDS;LINK;LINK_PUBLIC;TEST_LABELS")
  _quantlens_check_arguments(${name} "${arg_UNPARSED_ARGUMENTS}")
  list(TRANSFORM arg_DEPENDS PREPEND quantlens::)
  set(include $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(arg_SOURCES)
    add_library(quantlens_${name} STATIC ${arg_SOURCES})
    target_sources(quantlens_${name} PRIVATE ${arg_HEADERS})
    target_include_directories(quantlens_${name} PUBLIC ${include})
    target_link_libraries(quantlens_${name}
      PUBLIC ${arg_DEPENDS} ${arg_LINK_PUBLIC} PRIVATE $<BUILD_INTERFACE:quantlens_flags> ${arg_LINK})
    if(name IN_LIST QUANTLENS_OPTIMISED_MODULES)
      target_compile_options(quantlens_${name} PRIVATE -O1)  # and a header that is precompiled without is refused
    elseif(NOT QUANTLENS_CHECK_INCLUDES)
      target_precompile_headers(quantlens_${name} REUSE_FROM quantlens_precompiled)
    endif()
    _quantlens_tidy(quantlens_${name})
  else()
    add_library(quantlens_${name} INTERFACE)
    target_include_directories(quantlens_${name} INTERFACE ${include})
    target_link_libraries(quantlens_${name} INTERFACE ${arg_DEPENDS} ${arg_LINK_PUBLIC})
  endif()
  target_compile_features(quantlens_${name} INTERFACE cxx_std_20)
  set_target_properties(quantlens_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS quantlens_${name} EXPORT quantlens COMPONENT library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  _quantlens_verify_headers(quantlens_${name} "${arg_SOURCES}" "${arg_HEADERS}")
  add_library(quantlens::${name} ALIAS quantlens_${name})
  if(arg_TESTS)
    quantlens_test(${name} SOURCES ${arg_TESTS} DEPENDS ${name} LINK ${arg_LINK} LABELS ${arg_TEST_LABELS})
  endif()
endfunction()

function(quantlens_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINK")
  _quantlens_check_arguments(${name} "${arg_UNPARSED_ARGUMENTS}")
  list(TRANSFORM arg_DEPENDS PREPEND quantlens::)
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} ${arg_LINK} quantlens_flags)
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)  # each command has a run() and Arguments of its own
  _quantlens_tidy(${name})
endfunction()

# A module for Python, by nanobind: the file OUTPUT in FOLDER. It uses Python's stable interface, so that one file serves 3.10
# and later; what differs among them lies in the package nanobind-backend.
function(quantlens_extension name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT;FOLDER" "SOURCES;DEPENDS;LINK")
  _quantlens_check_arguments(${name} "${arg_UNPARSED_ARGUMENTS}")
  list(TRANSFORM arg_DEPENDS PREPEND quantlens::)
  nanobind_add_module(${name} BACKEND_MODULE nanobind_backend ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} ${arg_LINK} quantlens_flags)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${arg_OUTPUT} LIBRARY_OUTPUT_DIRECTORY ${arg_FOLDER} UNITY_BUILD OFF)
  _quantlens_tidy(${name})
endfunction()

function(quantlens_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINK;LABELS")
  _quantlens_check_arguments(${name} "${arg_UNPARSED_ARGUMENTS}")
  if(NOT QUANTLENS_BUILD_TESTS)
    return()
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND quantlens::)
  add_executable(quantlens_${name}_test ${arg_SOURCES})
  target_include_directories(quantlens_${name}_test PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(quantlens_${name}_test PRIVATE
    QUANTLENS_SOURCE_DIR="${PROJECT_SOURCE_DIR}" QUANTLENS_BUILD_DIR="${PROJECT_BINARY_DIR}")
  target_compile_options(quantlens_${name}_test PRIVATE ${QUANTLENS_TEST_OPTIONS})
  target_link_libraries(quantlens_${name}_test PRIVATE ${arg_DEPENDS} ${arg_LINK} quantlens_flags
    fmt::fmt GTest::gmock GTest::gtest_main rapidcheck_gtest)
  target_precompile_headers(quantlens_${name}_test REUSE_FROM quantlens_precompiled_tests)
  _quantlens_label(quantlens_${name}_test "${arg_LABELS}")
  if(QUANTLENS_SANITIZE)
    # In one process: to start one takes longer there than most cases do.
    add_test(NAME ${name} COMMAND quantlens_${name}_test)
    set_tests_properties(${name} PROPERTIES
      LABELS "${arg_LABELS}" TIMEOUT 900 ENVIRONMENT ORT_DISABLE_TELEMETRY=1)
    return()
  endif()
  # Cases are listed when ctest runs, not at the end of every link.
  gtest_discover_tests(quantlens_${name}_test TEST_PREFIX "${name}/" DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600
    ENVIRONMENT ORT_DISABLE_TELEMETRY=1)
endfunction()

# One script is one test; it runs in tools/setup's Python where that is, with QUANTLENS_PROGRAM naming the program.
function(quantlens_python_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SCRIPT" "LABELS")
  _quantlens_check_arguments(${name} "${arg_UNPARSED_ARGUMENTS}")
  if(NOT QUANTLENS_BUILD_TESTS)
    return()
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  set(python ${PROJECT_SOURCE_DIR}/third_party/python/bin/python)
  if(NOT EXISTS ${python})
    set(python ${Python3_EXECUTABLE})
  endif()
  if(NOT python)
    message(STATUS "No Python: test ${name} is left out; tools/setup --tests installs it.")
    return()
  endif()
  add_test(NAME ${name} COMMAND ${python} -B ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT})
  # For scripts that load the runtime themselves; the program declines by itself.
  set(environment QUANTLENS_SOURCE_DIR=${PROJECT_SOURCE_DIR} ORT_DISABLE_TELEMETRY=1)
  if(TARGET quantlens)
    list(APPEND environment QUANTLENS_PROGRAM=$<TARGET_FILE:quantlens>)
  endif()
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT "${environment}")
endfunction()

# The target tests_<label> builds what `ctest -L <label>` runs.
function(_quantlens_label target labels)
  foreach(label IN LISTS labels)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${target})
  endforeach()
endfunction()

# all_verify_interface_header_sets compiles headers by themselves: those without a source of their name. x.cpp includes x.h
# before all else (clang-format puts it there), which is the same test.
function(_quantlens_verify_headers target sources headers)
  list(TRANSFORM sources REPLACE "\\.cpp$" ".h")
  list(REMOVE_ITEM headers "" ${sources})
  if(headers)
    add_library(${target}_headers INTERFACE)
    target_link_libraries(${target}_headers INTERFACE ${target})
    target_sources(${target}_headers INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
    set_target_properties(${target}_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
endfunction()

function(_quantlens_tidy target)
  if(QUANTLENS_TIDY)
    set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "${QUANTLENS_CLANG_TIDY};--quiet;--warnings-as-errors=*")
  endif()
endfunction()

function(_quantlens_check_arguments name unparsed)
  if(unparsed)
    message(FATAL_ERROR "${name}: these arguments belong to no keyword: ${unparsed}")
  endif()
endfunction()
