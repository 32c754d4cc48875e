# SPDX-License-Identifier: Apache-2.0
# The .deb: `cpack --config build/release/CPackConfig.cmake -B FOLDER`. It has the program, the runtime it opens, the demo, the
# page of the manual and completions; libraries that Debian has are dependencies. Developers' files are `cmake --install`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME quantlens)
set(CPACK_PACKAGE_VENDOR quantlens)
set(CPACK_PACKAGE_CONTACT "The quantlens developers <quantlens@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "int8 quantization of neural networks, with its diagnosis")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "quantlens quantizes neural networks to int8 and shows why accuracy was lost,\n where the time goes and what to change. It has a server with web pages.")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
