// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/bare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {
namespace {

/// Ends a pass that has seen enough samples.
struct EnoughRuns {};

std::uint64_t bytes_of(const TensorMap& tensors) {
  std::uint64_t sum = 0;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.dtype() != DType::string) sum += tensor.bytes().size();
  }
  return sum;
}

/// Whether no further sample needs to be kept after so many.
bool has_enough(std::uint64_t samples, std::uint64_t bytes) {
  return samples >= kShareSamples || (samples >= kBareSamples && bytes >= kBareBytes);
}

std::size_t digest_of(const TensorMap& outputs, std::size_t digest) {
  constexpr std::size_t kOdd = 0x9E3779B97F4A7C15;
  for (const auto& [name, tensor] : outputs) {
    if (tensor.dtype() == DType::string) continue;  // holds no bytes of its own
    const Bytes bytes = tensor.bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    digest = (digest ^ std::hash<std::string_view>()(text)) * kOdd;
  }
  return digest;
}

const Tensor* counterpart(const std::string& name, const TensorMap& reference,
                          const TensorMap& other) {
  if (const auto found = other.find(name); found != other.end()) return &found->second;
  return reference.size() == 1 && other.size() == 1 ? &other.begin()->second : nullptr;
}

struct Energy {
  double signal = 0, error = 0;
  bool any = false;          ///< there were floats
  std::uint64_t others = 0;  ///< elements of other types that differ
};

/// Of numbers that are equal, and not finite, nothing is known; one that is not finite on one side
/// alone, or another one there, is an error beyond all measure.
void add_floats(const Tensor& first, const Tensor& second, Energy& sum) {
  const Tensor a = to_float32(first), b = to_float32(second);
  const auto x = a.data<float>(), y = b.data<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum.any = true;
    if (std::isfinite(x[i]) && std::isfinite(y[i])) {
      const double difference = static_cast<double>(x[i]) - y[i];
      sum.signal += static_cast<double>(x[i]) * x[i];
      sum.error += difference * difference;
    } else if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i]))) {
      sum.error = std::numeric_limits<double>::infinity();
    }
  }
}

void add_others(const Tensor& first, const Tensor& second, Energy& sum) {
  const std::size_t size = byte_size(first.dtype());
  const Bytes a = first.bytes(), b = second.bytes();
  for (std::size_t at = 0; at < a.size(); at += size) {
    sum.others += !std::ranges::equal(a.subspan(at, size), b.subspan(at, size));
  }
}

Energy energy_of(const TensorMap& reference, const TensorMap& other) {
  Energy sum;
  for (const auto& [name, tensor] : reference) {
    const Tensor* found = counterpart(name, reference, other);
    if (found == nullptr || tensor.dtype() == DType::string) continue;
    const bool is_alike = tensor.dtype() == found->dtype() && tensor.shape() == found->shape();
    if (is_float(tensor.dtype())) {
      if (is_alike) {
        add_floats(tensor, *found, sum);
      } else {
        sum.any = true;
        sum.error = std::numeric_limits<double>::infinity();
      }
    } else if (is_alike) {
      add_others(tensor, *found, sum);
    } else {
      sum.others += tensor.size();
    }
  }
  return sum;
}

double decibels(double signal, double error) {
  constexpr double kDecibelsADecade = 10;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (error == 0) return kInfinity;
  if (std::isinf(error)) return -kInfinity;
  return kDecibelsADecade * std::log10(signal / error);
}

}  // namespace

bool are_equal(const TensorMap& a, const TensorMap& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    const Tensor &x = one.second, &y = other.second;
    return one.first == other.first && x.dtype() == y.dtype() && x.shape() == y.shape() &&
           (x.dtype() == DType::string || std::ranges::equal(x.bytes(), y.bytes()));
  });
}

std::optional<double> outputs_sqnr_db(const TensorMap& reference, const TensorMap& other) {
  const Energy energy = energy_of(reference, other);
  if (!energy.any) return std::nullopt;
  return decibels(energy.signal, energy.error);
}

std::uint64_t outputs_others(const TensorMap& reference, const TensorMap& other) {
  return energy_of(reference, other).others;
}

BareAnswers run_bare(const ModelPair& models, const FittedData& data, const MeasureOptions& options,
                     const Session& session) {
  BareAnswers bare;
  const Dataset& dataset = *data.opened.dataset;
  std::optional<AccuracyPairSink> accuracy;
  if (options.metric) {
    accuracy.emplace(*options.metric,
                     [&dataset](std::uint64_t sample) { return dataset.name(sample); });
  }
  BatchReader reader =
      make_reader(data, session, options.samples);  // reads while models are opened
  const ClosingRun run = [&] {
    const ProgressStep loading(session.progress, "load models", std::nullopt);
    return closing(open(models.reference, &models.quantized, {}, run_options(session)),
                   session.phases);
  }();
  std::uint64_t kept_bytes = 0;
  try {
    feed(*run, reader, session.progress, options.metric ? "evaluate" : "bare outputs",
         [&](const Batch& batch, const Outputs& outputs) {
           if (accuracy) accuracy->add(batch, outputs);
           if (options.diagnose) {
             const std::uint64_t before = bare.samples;
             bare.samples += batch.samples.size();
             bare.digest = digest_of(outputs.quantized, bare.digest);
             if (!has_enough(before, kept_bytes)) {
               kept_bytes += bytes_of(batch.inputs) + bytes_of(outputs.reference) +
                             bytes_of(outputs.quantized);
               bare.batches.push_back(batch);
               bare.outputs.push_back(outputs);
             }
           }
           if (!accuracy && has_enough(bare.samples, kept_bytes)) throw EnoughRuns();
         });
  } catch (const EnoughRuns&) {
    // the rest is seen by the observed run alone
  }
  if (accuracy) {
    report_skipped(reader, session.progress);
    bare.accuracy = accuracy->result();
    if (keeps_state(*options.metric)) bare.accuracy_state = accuracy->state();
  }
  return bare;
}

void BareCheck::add(const Batch& batch, const Outputs& outputs) {
  if (batches_ < bare_.outputs.size()) {
    const Outputs& bare = bare_.outputs[batches_];
    if (!are_equal(bare.quantized, outputs.quantized)) throw Departed();
    const Energy energy = energy_of(bare.reference, outputs.reference);
    signal_ += energy.signal;
    error_ += energy.error;
    has_floats_ = has_floats_ || energy.any;
    others_ += energy.others;
  }
  ++batches_;
  samples_ += batch.samples.size();
  if (samples_ > bare_.samples) return;
  digest_ = digest_of(outputs.quantized, digest_);
  if (samples_ == bare_.samples && digest_ != bare_.digest) throw Departed();
}

std::optional<double> BareCheck::reference_sqnr_db() const {
  if (!has_floats_) return std::nullopt;
  return decibels(signal_, error_);
}

}  // namespace quantlens::flow
