// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/own_error.h"

#include <algorithm>
#include <cmath>

namespace quantlens {

double own_mse(const ActivationRow& row) {
  if (row.local_mse.value_or(0) <= 0 || !row.input_mse) return 0;
  return std::max(0.0, *row.local_mse - *row.input_mse);
}

double own_error(const ActivationRow& row) {
  const double own = own_mse(row);
  if (own <= 0 || !row.local_sqnr_db) return 0;
  return own / *row.local_mse * std::pow(10.0, -*row.local_sqnr_db / 10);
}

bool makes_error(const ActivationRow& row) {
  constexpr double kLeastShare = 0.001;
  return own_mse(row) > 0 && row.output_share.value_or(0) >= kLeastShare;
}

}  // namespace quantlens
