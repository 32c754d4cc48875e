# SPDX-License-Identifier: Apache-2.0
# What shells and man(1) read of the program: it prints the files itself when it is installed. A program for another
# machine is run by CMAKE_CROSSCOMPILING_EMULATOR; where there is none, the files are left out.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "Cross-compiling: neither the man page nor completion is installed; quantlens manual and completion print them.")
  return()
endif()
install(CODE "set(quantlens_printer \"${CMAKE_CROSSCOMPILING_EMULATOR}\" \"$<TARGET_FILE:quantlens>\")")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install_shell_files.cmake)
