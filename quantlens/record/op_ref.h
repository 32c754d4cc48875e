// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <boost/describe.hpp>

namespace quantlens {

/// An op of the reference model, as programs and as people name it.
struct OpRef {
  std::string id;    ///< as `op_id` gives it; empty: not known
  std::string name;  ///< as `op_name` gives it
  bool operator==(const OpRef&) const = default;
};
BOOST_DESCRIBE_STRUCT(OpRef, (), (id, name))

}  // namespace quantlens
