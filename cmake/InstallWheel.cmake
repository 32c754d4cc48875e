# SPDX-License-Identifier: Apache-2.0
# What the wheel has (pyproject.toml): the package, and inside it the program with the demo's model and data.
install(DIRECTORY ${PROJECT_BINARY_DIR}/python/quantlens/ DESTINATION quantlens COMPONENT wheel
  PATTERN "__pycache__" EXCLUDE PATTERN "_core.*.so" EXCLUDE)
install(TARGETS quantlens_python LIBRARY DESTINATION quantlens COMPONENT wheel)
install(TARGETS quantlens RUNTIME DESTINATION quantlens/bin COMPONENT wheel)
install(DIRECTORY examples/demo/ DESTINATION quantlens/share/quantlens/demo COMPONENT wheel
  PATTERN "*.py" EXCLUDE PATTERN "requirements*.txt" EXCLUDE)
