// SPDX-License-Identifier: Apache-2.0
#include "server/compact.h"

#include <boost/json/serialize.hpp>

#include "quantlens/base/text.h"

namespace quantlens::server {

std::string compact(const json::Value& value) {
  return valid_utf8(boost::json::serialize(value));
}

}  // namespace quantlens::server
