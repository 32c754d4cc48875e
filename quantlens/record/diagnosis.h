// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/json.h"
#include "quantlens/record/op_ref.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/statement.h"

namespace quantlens {

/// A sample's part in an op's error.
struct SampleShare {
  std::uint64_t sample = 0;  ///< global index
  std::string name;          ///< as the data set calls it (file name, row)
  double share = 0;          ///< of the op's sum of squared error over all samples, 0..1
  bool operator==(const SampleShare&) const = default;
};
BOOST_DESCRIBE_STRUCT(SampleShare, (), (sample, name, share))

/// One activation: (op, reference value, quantized side). Formulas: docs/metrics.md. Intervals are
/// 95 %, over the blocks of samples; absent where the samples do not tell (PairIntervals).
struct ActivationRow {
  OpRef op;
  std::string type;
  std::vector<std::string> pattern;
  std::string value;
  std::string quantized;
  Side side = Side::float_;
  double mse = 0;
  std::optional<std::array<double, 2>> mse_interval;
  double mse_normalized = 0;
  double sqnr_db = 0;
  std::optional<std::array<double, 2>> sqnr_db_interval;
  /// By SQNR, 1 the worst; rows that the samples cannot tell from the first one of a rank share it.
  /// Absent where fewer than three blocks hold samples.
  std::optional<std::uint64_t> rank;
  bool tied_with_previous = false;  ///< the samples cannot tell its SQNR from the row's above
  /// Of the worst value that the op reads, minus sqnr_db; absent where nothing before was compared.
  std::optional<double> sqnr_drop_db;
  /// With the op alone quantized: what it reads is the reference's, in its codes. Over the first
  /// `local_samples`; absent where that was not run, and of what is only moved.
  std::optional<double> local_mse, local_sqnr_db;
  std::optional<std::array<double, 2>> local_sqnr_db_interval;
  /// What makes up local_mse: codes of its own (rounding inside their reach, clipping outside), its
  /// rounded weight, its rounded inputs, and the rest: a bias, arithmetic. They sum to local_mse.
  std::optional<double> rounding_mse, clipping_mse, weight_mse, input_mse, other_mse;
  /// Share of local_mse that is a constant in each channel (in all, where none are told apart),
  /// which another bias takes away; 0..1.
  std::optional<double> shift_share;
  /// Share of the outputs' error that begins here, 0..1, and its 95 % interval over the blocks of
  /// samples; absent as local_mse.
  std::optional<double> output_share;
  std::optional<std::array<double, 2>> output_share_interval;
  double cosine = 0;
  std::optional<std::array<double, 2>> cosine_interval;
  double max_abs_error = 0;
  double clip_rate = 0;
  std::optional<std::array<double, 2>> clip_rate_interval;
  double min = 0, max = 0, data_range = 0;  ///< of the reference
  double quantized_min = 0, quantized_max = 0;
  double mean = 0, standard_deviation = 0, median = 0;  ///< the median to its histogram's bin
  double quantized_mean = 0, quantized_standard_deviation = 0, quantized_median = 0;
  std::optional<double> scale;  ///< of an integer side
  std::optional<std::int32_t> zero_point;
  std::uint64_t elements = 0;                  ///< finite pairs over all samples
  std::uint64_t nonfinite = 0;                 ///< pairs with a NaN or an infinity
  std::uint64_t became_nonfinite = 0;          ///< those of them that are finite in the reference
  std::uint64_t channels = 0;                  ///< 0: the value has none that are told apart
  std::optional<std::uint64_t> worst_channel;  ///< the one with most error
  std::optional<double> worst_channel_share;   ///< of the row's sum of squared error, 0..1
  std::optional<double> worst_channel_sqnr_db;
  std::optional<double> channel_spread;    ///< widest channel's max|x| over the median channel's
  std::vector<SampleShare> worst_samples;  ///< at most eight, worst first
};
BOOST_DESCRIBE_STRUCT(ActivationRow, (),
                      (op, type, pattern, value, quantized, side, mse, mse_interval, mse_normalized,
                       sqnr_db, sqnr_db_interval, rank, tied_with_previous, sqnr_drop_db, local_mse,
                       local_sqnr_db, local_sqnr_db_interval, rounding_mse, clipping_mse,
                       weight_mse, input_mse, other_mse, shift_share, output_share,
                       output_share_interval, cosine, cosine_interval, max_abs_error, clip_rate,
                       clip_rate_interval, min, max, data_range, quantized_min, quantized_max, mean,
                       standard_deviation, median, quantized_mean, quantized_standard_deviation,
                       quantized_median, scale, zero_point, elements, nonfinite, became_nonfinite,
                       channels, worst_channel, worst_channel_share, worst_channel_sqnr_db,
                       channel_spread, worst_samples))

struct TensorSummary {
  double min = 0, max = 0, mean = 0, standard_deviation = 0, variance = 0;
};
BOOST_DESCRIBE_STRUCT(TensorSummary, (), (min, max, mean, standard_deviation, variance))

/// One weight of one op, before and after quantization.
struct WeightRow {
  OpRef op;
  std::string type;
  std::string weight;
  std::string quantized;
  DType dtype = DType::int8;  ///< of the codes
  Granularity granularity = Granularity::per_tensor;
  double mse = 0;
  double mse_normalized = 0;
  double sqnr_db = 0;
  double cosine = 0;
  double max_abs_error = 0;
  TensorSummary reference;
  TensorSummary dequantized;
  std::uint64_t channels = 0;
  std::uint64_t worst_channel = 0;  ///< output channel with the lowest SQNR
  double worst_channel_sqnr_db = 0;
  double channel_spread = 0;  ///< widest channel's max|w| over the median channel's
  /// Channels that would fit well if they were multiplied, by at least 1.2 or at most 1 / 1.2, and
  /// their share of the sum of squared error, 0..1: their scales are not theirs.
  std::uint64_t misfit_channels = 0;
  double misfit_share = 0;
};
BOOST_DESCRIBE_STRUCT(WeightRow, (),
                      (op, type, weight, quantized, dtype, granularity, mse, mse_normalized,
                       sqnr_db, cosine, max_abs_error, reference, dequantized, channels,
                       worst_channel, worst_channel_sqnr_db, channel_spread, misfit_channels,
                       misfit_share))

/// How grave a finding is.
BOOST_DEFINE_ENUM_CLASS(Severity, problem, warning, note)

/// A rule's verdict.
struct Finding {
  std::string rule;        ///< its name in docs/rules.md
  OpRef op;                ///< at which it is worst; of an input of the model both are its name
  std::vector<OpRef> ops;  ///< that the remedy is about; of an input, those that read it
  Statements reasons;      ///< why, with the figures
  json::Value remedy;      ///< a fragment of a recipe, an object; null where none mends it
  Severity severity = Severity::note;
  /// Share of the outputs' error that begins here, 0..1: what the remedy is expected to take away;
  /// and its 95 % interval. Absent where the finding is about no error.
  std::optional<double> output_share;
  std::optional<std::array<double, 2>> output_share_interval;
  /// The share was measured: so much of the outputs' error is gone when `ops` alone are computed in
  /// float inside the quantized model. Else it is an estimate (docs/rules.md).
  bool share_is_measured = false;
  std::uint64_t share_samples = 0;        ///< over which it was measured; 0: an estimate, of all
  std::optional<double> estimated_share;  ///< of a measured one: what the estimate was
  /// The samples cannot tell its share from that of the one above.
  bool tied_with_previous = false;
  /// Share of the outputs' error that the remedy took away when it was tried, together with those
  /// of the findings before it; below 0: they added.
  std::optional<double> measured_gain;
  std::optional<std::array<double, 2>> measured_gain_interval;
};
BOOST_DESCRIBE_STRUCT(Finding, (),
                      (rule, op, ops, reasons, remedy, severity, output_share,
                       output_share_interval, share_is_measured, share_samples, estimated_share,
                       tied_with_previous, measured_gain, measured_gain_interval))

struct Diagnosis {
  std::uint64_t samples = 0;
  std::uint64_t local_samples = 0;  ///< that local errors are of; 0: there are none
  std::uint64_t paired = 0;
  std::vector<ActivationRow> activations;  ///< by SQNR, worst first; ties by position in the model
  std::vector<WeightRow> weights;          ///< by MSE, worst first; ties by position
  std::vector<std::string> only_reference;
  std::vector<std::string> only_quantized;
  std::vector<NotCompared> not_compared;
  std::vector<std::string> outputs_not_compared;  ///< float outputs of the reference without a row
  std::vector<SuspectPair> suspects;  ///< pairs that are probably wrong; not among `activations`
  /// Share of the outputs' error that passes through values that were not compared, 0..1: where it
  /// begins is not known. Absent without shares.
  std::optional<double> unknown_share;
  Statements conclusions;  ///< what is lost, where it begins, what to change: a paragraph
  std::vector<Finding> findings;
};
BOOST_DESCRIBE_STRUCT(Diagnosis, (),
                      (samples, local_samples, paired, activations, weights, only_reference,
                       only_quantized, not_compared, outputs_not_compared, suspects, unknown_share,
                       conclusions, findings))

}  // namespace quantlens
