# SPDX-License-Identifier: Apache-2.0
# quantlens::onnxruntime_headers: the headers alone. The library is never linked (that would bind the program to
# one version by its symbols) but opened at run time; QUANTLENS_ONNXRUNTIME_LIBRARY_HINT is where this build tree
# saw it, the last place to look, and empty where it saw none.
set(roots ${ONNXRUNTIME_ROOT} /usr /usr/local ${PROJECT_SOURCE_DIR}/third_party/onnxruntime)
find_path(ONNXRUNTIME_INCLUDE_DIR onnxruntime_cxx_api.h
  PATHS ${roots} PATH_SUFFIXES include/onnxruntime/core/session include/onnxruntime include NO_DEFAULT_PATH)
# First where the headers are not from: the newest library that was asked for, or that tools/setup fetched.
find_file(ONNXRUNTIME_LIBRARY NAMES libonnxruntime.so.1 libonnxruntime.so
  PATHS ${ONNXRUNTIME_ROOT} ${PROJECT_SOURCE_DIR}/third_party/onnxruntime /usr/local /usr
  PATH_SUFFIXES lib lib/${CMAKE_LIBRARY_ARCHITECTURE} lib64 NO_DEFAULT_PATH)
mark_as_advanced(ONNXRUNTIME_INCLUDE_DIR ONNXRUNTIME_LIBRARY)

if(ONNXRUNTIME_INCLUDE_DIR)
  add_library(quantlens::onnxruntime_headers INTERFACE IMPORTED)
  target_include_directories(quantlens::onnxruntime_headers INTERFACE ${ONNXRUNTIME_INCLUDE_DIR})
  set(hint "")
  if(ONNXRUNTIME_LIBRARY AND NOT SKBUILD)  # a wheel has that of the package onnxruntime
    set(hint ${ONNXRUNTIME_LIBRARY})
  endif()
  # Empty, not 1: equal to a plain #define of the same name in a source.
  target_compile_definitions(quantlens::onnxruntime_headers INTERFACE
    ORT_API_MANUAL_INIT= "QUANTLENS_ONNXRUNTIME_LIBRARY_HINT=\"${hint}\"")
  target_link_libraries(quantlens::onnxruntime_headers INTERFACE ${CMAKE_DL_LIBS})
elseif(EXISTS ${PROJECT_SOURCE_DIR}/quantlens/runtime/CMakeLists.txt AND runtime IN_LIST QUANTLENS_MODULES)
  message(FATAL_ERROR "The headers of ONNX Runtime are missing; run tools/setup or give -DONNXRUNTIME_ROOT=FOLDER.")
endif()
