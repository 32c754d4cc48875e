// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/machine.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/frontend/probe_models.h"
#include "quantlens/profiling/ones_for.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {
namespace {

constexpr int kRepeats = 5;

double copied_gb_per_second(unsigned threads) {
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  const auto from = std::make_unique<char[]>(kBytes);
  const auto to = std::make_unique<char[]>(kBytes);
  Cores cores(threads);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kRepeats; ++i) {  // the first touches the pages
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t part = kBytes / cores.count();
    cores.parallel_for(cores.count(), [&](std::size_t core) {
      std::memcpy(to.get() + core * part, from.get() + core * part, part);
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return 2.0 * kBytes / best / 1e9;
}

double product_gop_per_second(std::string_view format, bool integer, const TimedOptions& how) {
  constexpr std::int64_t kExtent = 512;
  const Model model = frontend::product_model(format, kExtent, integer);
  const auto run = open_timed(model, how);
  const std::size_t batch = run->add(ones_for(model));
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i <= kRepeats; ++i) best = std::min(best, run->run(batch).whole);
  return 2.0 * kExtent * kExtent * kExtent / static_cast<double>(best);
}

/// TensorFlow without oneDNN, for one, fails at the first run.
double integer_gop_per_second(std::string_view format, const TimedOptions& how) {
  try {
    return product_gop_per_second(format, true, how);
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;
    return 0;
  }
}

}  // namespace

Machine measure_machine(std::string_view format, const TimedOptions& how) {
  return {.gb_per_second = copied_gb_per_second(how.threads),
          .float_gop_per_second = product_gop_per_second(format, false, how),
          .int8_gop_per_second = integer_gop_per_second(format, how)};
}

}  // namespace quantlens
