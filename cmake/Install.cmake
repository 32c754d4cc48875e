# SPDX-License-Identifier: Apache-2.0
# bin/quantlens, also as bin/neural_insights, the runtime it opens (../lib/quantlens/ from the program), and the demo's model and data
# (../share/quantlens/demo/); and the library: what quantlens.h shows with all that it includes, and the package that
# find_package(quantlens) finds (examples/library/installed shows it in use). The program itself writes its man page and the
# scripts by which shells complete its command lines.
if(SKBUILD)
  include(InstallWheel)
  return()
endif()
if(TARGET quantlens)
  install(TARGETS quantlens)
  # The predecessors' command: the program sees by which name it is called.
  install(CODE "file(CREATE_LINK quantlens \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/neural_insights\" SYMBOLIC)")
  include(${CMAKE_CURRENT_LIST_DIR}/ShellFiles.cmake)
endif()
if(ONNXRUNTIME_LIBRARY MATCHES "^${PROJECT_SOURCE_DIR}/")  # an installed one stays where it is
  file(REAL_PATH ${ONNXRUNTIME_LIBRARY} library)
  install(FILES ${library} DESTINATION lib/quantlens RENAME libonnxruntime.so.1)
endif()
if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/examples/demo)
  install(DIRECTORY examples/demo/ DESTINATION share/quantlens/demo
    PATTERN "*.py" EXCLUDE PATTERN "requirements*.txt" EXCLUDE)
endif()
if(NOT TARGET quantlens::flow)
  return()  # a developer builds some modules alone
endif()

# The headers of ours that `start` includes, itself among them, relative to the source tree.
function(_quantlens_public_headers result start)
  set(seen)
  set(open ${start})
  while(open)
    list(POP_FRONT open header)
    list(APPEND seen ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"quantlens/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
      if(NOT included IN_LIST seen AND NOT included IN_LIST open)
        list(APPEND open ${included})
      endif()
    endforeach()
  endwhile()
  set(${result} ${seen} PARENT_SCOPE)
endfunction()

_quantlens_public_headers(headers quantlens/quantlens.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/quantlens/quantlens.h)
foreach(header IN LISTS headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT library)
endforeach()

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/quantlens)
install(EXPORT quantlens NAMESPACE quantlens:: FILE quantlensTargets.cmake DESTINATION ${package} COMPONENT library)
configure_package_config_file(cmake/quantlensConfig.cmake.in ${PROJECT_BINARY_DIR}/quantlensConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/quantlensConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/quantlensConfig.cmake ${PROJECT_BINARY_DIR}/quantlensConfigVersion.cmake
  cmake/Dependencies.cmake DESTINATION ${package} COMPONENT library)
