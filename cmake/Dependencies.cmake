# SPDX-License-Identifier: Apache-2.0
# The third-party libraries of our own ones, by the name that a module's LINK line uses:
#   Boost::headers Boost::json fmt::fmt yaml-cpp::yaml-cpp hwy::hwy PNG::PNG OpenSSL::Crypto OpenSSL::SSL
#   Threads::Threads ZLIB::ZLIB, and those that bring no (working) CMake package:
#   Boost::regex libzip::zip quantlens_dep::{protozero,stb,turbojpeg}.
# It is installed, too: find_package(quantlens) in another tree finds the same ones by it.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(hwy REQUIRED)
find_package(PNG REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)  # the name since 0.8
endif()
if(NOT TARGET Boost::regex)  # headers only since 1.76
  add_library(Boost::regex INTERFACE IMPORTED)
  target_link_libraries(Boost::regex INTERFACE Boost::headers)
endif()

find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp REQUIRED)
add_library(quantlens_dep::protozero INTERFACE IMPORTED)
target_include_directories(quantlens_dep::protozero INTERFACE ${PROTOZERO_INCLUDE_DIR})

# Included as <stb_image_resize.h>; define STB_IMAGE_RESIZE_IMPLEMENTATION and ..._STATIC in the one source that uses it.
find_path(STB_INCLUDE_DIR stb_image_resize.h PATH_SUFFIXES stb REQUIRED)
add_library(quantlens_dep::stb INTERFACE IMPORTED)
target_include_directories(quantlens_dep::stb INTERFACE ${STB_INCLUDE_DIR})

# Debian's own package file insists on the command line tools of libzip, which are in other packages.
find_path(LIBZIP_INCLUDE_DIR zip.h REQUIRED)
find_library(LIBZIP_LIBRARY zip REQUIRED)
add_library(libzip::zip UNKNOWN IMPORTED)
set_target_properties(libzip::zip PROPERTIES
  IMPORTED_LOCATION ${LIBZIP_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${LIBZIP_INCLUDE_DIR})
if(LIBZIP_LIBRARY MATCHES "\\.a$")
  find_package(BZip2 REQUIRED)
  set_target_properties(libzip::zip PROPERTIES INTERFACE_LINK_LIBRARIES "ZLIB::ZLIB;BZip2::BZip2")
endif()

find_path(TURBOJPEG_INCLUDE_DIR turbojpeg.h REQUIRED)
find_library(TURBOJPEG_LIBRARY turbojpeg REQUIRED)
add_library(quantlens_dep::turbojpeg UNKNOWN IMPORTED)
set_target_properties(quantlens_dep::turbojpeg PROPERTIES
  IMPORTED_LOCATION ${TURBOJPEG_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${TURBOJPEG_INCLUDE_DIR})
mark_as_advanced(PROTOZERO_INCLUDE_DIR STB_INCLUDE_DIR LIBZIP_INCLUDE_DIR LIBZIP_LIBRARY
                 TURBOJPEG_INCLUDE_DIR TURBOJPEG_LIBRARY)
