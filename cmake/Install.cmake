# SPDX-License-Identifier: Apache-2.0
# bin/quantlens, the runtime it opens (../lib/quantlens/ from the program), and the demo's model and data
# (../share/quantlens/demo/).
if(TARGET quantlens)
  install(TARGETS quantlens)
endif()
if(ONNXRUNTIME_LIBRARY MATCHES "^${PROJECT_SOURCE_DIR}/")  # an installed one stays where it is
  file(REAL_PATH ${ONNXRUNTIME_LIBRARY} library)
  install(FILES ${library} DESTINATION lib/quantlens RENAME libonnxruntime.so.1)
endif()
if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/examples/demo)
  install(DIRECTORY examples/demo/ DESTINATION share/quantlens/demo
    PATTERN "*.py" EXCLUDE PATTERN "requirements*.txt" EXCLUDE)
endif()
