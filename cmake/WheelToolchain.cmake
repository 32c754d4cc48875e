# SPDX-License-Identifier: Apache-2.0
# Compiles against the folder that tools/wheel makes, for an older C library than this machine's. The standard library of
# C++ and all that has no shared library there is linked in.
set(wheel ${CMAKE_CURRENT_LIST_DIR}/../third_party/wheel)
cmake_path(NORMAL_PATH wheel)
set(CMAKE_SYSROOT ${wheel}/root)
set(CMAKE_FIND_ROOT_PATH ${wheel}/root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(what LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${what} BOTH)  # what is not in the root: nanobind, ONNX Runtime's headers
endforeach()
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
# glibc 2.28 has no later version of these functions.
cmake_path(SET symbols NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../packaging/glibc_symbols.h)
set(CMAKE_C_FLAGS_INIT "-include ${symbols}")
set(CMAKE_CXX_FLAGS_INIT "-include ${symbols}")
# The compiler looks beside itself first, where this machine's C library is.
set(first ${wheel}/root/usr/lib/x86_64-linux-gnu)
foreach(what EXE SHARED MODULE)
  set(CMAKE_${what}_LINKER_FLAGS_INIT
    "-B${first} -L${first} -L${wheel}/root/lib/x86_64-linux-gnu -pthread -static-libstdc++ -Wl,--exclude-libs,ALL ${wheel}/glibc_shim.o")
endforeach()
set(OPENSSL_USE_STATIC_LIBS ON)
set(Boost_USE_STATIC_LIBS ON)
