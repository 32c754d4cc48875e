# SPDX-License-Identifier: Apache-2.0
# bin/quantlens, the runtime it opens in lib/quantlens/, and the demo's model and data in share/quantlens/demo/.
if(TARGET quantlens)
  install(TARGETS quantlens)
endif()
if(ONNXRUNTIME_LIBRARY MATCHES "^${PROJECT_SOURCE_DIR}/")  # an installed one stays where it is
  file(REAL_PATH ${ONNXRUNTIME_LIBRARY} library)
  install(FILES ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR}/quantlens RENAME libonnxruntime.so.1)
endif()
if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/examples/demo)
  install(DIRECTORY examples/demo/ DESTINATION ${CMAKE_INSTALL_DATADIR}/quantlens/demo PATTERN "*.py" EXCLUDE)
endif()
