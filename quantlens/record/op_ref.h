// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <boost/describe.hpp>

namespace quantlens {

/// An op of the reference model.
struct OpRef {
  std::string id;
  std::string name;
  bool operator==(const OpRef&) const = default;
};
BOOST_DESCRIBE_STRUCT(OpRef, (), (id, name))

}  // namespace quantlens
