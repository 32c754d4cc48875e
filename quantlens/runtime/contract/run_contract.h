// What the tests of the contract share: a fixture per kind of Run, and what they compare with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/contract/models.h"
#include "quantlens/runtime/contract/run_kinds.h"

namespace quantlens::contract {

/// Skipped, with the reason, where its kind of Run cannot be tested on this machine.
class RunContract : public testing::TestWithParam<RunKind> {
 protected:
  void SetUp() override {
    const std::string missing = GetParam().missing();
    if (!missing.empty()) GTEST_SKIP() << missing;
  }

  static std::unique_ptr<quantlens::Run> open(const Model& reference, const Model* quantized,
                                              const TapSpec& taps, unsigned threads = 1) {
    return GetParam().open(reference, quantized, taps, {.threads = threads});
  }
  static std::unique_ptr<quantlens::Run> open(const Model& reference, const TapSpec& taps = {}) {
    return open(reference, nullptr, taps);
  }
  /// What the taps gather of one batch.
  static TapState gathered(const Model& reference, const Model* quantized, const TapSpec& taps,
                           const Batch& data, unsigned threads = 1) {
    const std::unique_ptr<quantlens::Run> run = open(reference, quantized, taps, threads);
    run->step(data);
    return run->take();
  }
};

/// Suites derive from the fixture under names of their own.
inline std::string kind_name(const testing::TestParamInfo<RunKind>& info) {
  return info.param.name;
}

/// What `act` threw: its code, and that its sentence holds all of `parts`.
inline Errc refusal(const std::function<void()>& act, const std::vector<std::string>& parts = {}) {
  try {
    act();
  } catch (const Error& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "no '" << part << "' in: " << error.what();
    }
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Errc::usage;
}

inline std::string bytes_of(const TensorMap& tensors) {
  std::string bytes;
  for (const auto& [name, tensor] : tensors) {
    bytes += name + to_string(tensor.shape());
    bytes.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  }
  return bytes;
}

}  // namespace quantlens::contract
