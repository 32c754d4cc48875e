// SPDX-License-Identifier: Apache-2.0
// Boost.JSON as one source: Debian's static library cannot be linked into a shared one.
#include <boost/json/src.hpp>
