// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "quantlens/runtime/tensorflow/c_api.h"

namespace quantlens::tensorflow {

/// What a call leaves: an error, or none.
class Result {
 public:
  explicit Result(const Api& api) : api_(api), status_(api.new_status(), api.delete_status) {}

  Status* get() { return status_.get(); }
  bool is_ok() const { return api_.get_code(status_.get()) == Code::ok; }
  /// TensorFlow's message on one line, as short as a sentence may be.
  std::string reason() const;

 private:
  const Api& api_;
  std::unique_ptr<Status, void (*)(Status*)> status_;
};

}  // namespace quantlens::tensorflow
