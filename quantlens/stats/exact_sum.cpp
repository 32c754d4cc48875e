// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "quantlens/stats/bytes.h"

namespace quantlens {

namespace {

constexpr std::uint32_t kMaxPending = 1u << 30;  // limbs then stay below 2^62 + 2^32
constexpr int kLeastDigit = -34;                 // 2^-1088: holds the least subnormal, 2^-1074
constexpr int kGreatestDigit = 36;               // 2^1152: 2^128 terms of the largest double
constexpr std::int64_t kDigitMask = 0xffffffff;

}  // namespace

void ExactSum::add(double term) {
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent != 0) mantissa |= std::uint64_t{1} << 52;
  if (mantissa == 0) return;

  // term = mantissa * 2^(position - 1088)
  const int position = std::max(exponent, 1) - 1075 + 1088;
  const int digit = position / 32 + kLeastDigit;
  const int shift = position % 32;
  const auto index = static_cast<std::uint32_t>(digit - low_);
  if (digit < low_ || index + 3 > limbs_.size()) {
    widen(digit, digit + 2);
    add(term);
    return;
  }
  const std::uint64_t low = mantissa << shift;
  const std::uint64_t high = shift == 0 ? 0 : mantissa >> (64 - shift);
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 0;  // (v ^ sign) - sign negates where -1
  std::int64_t* limb = limbs_.data() + index;
  limb[0] += ((static_cast<std::int64_t>(low) & kDigitMask) ^ sign) - sign;
  limb[1] += (static_cast<std::int64_t>(low >> 32) ^ sign) - sign;
  limb[2] += (static_cast<std::int64_t>(high) ^ sign) - sign;
  if (++pending_ >= kMaxPending) carry();
}

void ExactSum::merge(const ExactSum& other) {
  if (other.limbs_.empty()) return;
  if (pending_ + other.pending_ + 2 > kMaxPending) {
    ExactSum carried = other;
    carried.carry();
    carry();
    if (!carried.limbs_.empty()) merge(carried);
    return;
  }
  const int high = other.low_ + static_cast<int>(other.limbs_.size()) - 1;
  widen(other.low_, high);
  const auto offset = static_cast<std::size_t>(other.low_ - low_);
  for (std::size_t i = 0; i < other.limbs_.size(); ++i) limbs_[offset + i] += other.limbs_[i];
  pending_ += other.pending_ + 1;
}

void ExactSum::widen(int low, int high) {
  if (limbs_.empty()) {
    low_ = low;
    limbs_.assign(static_cast<std::size_t>(high - low) + 1, 0);
    return;
  }
  if (low < low_) {
    limbs_.insert(limbs_.begin(), static_cast<std::size_t>(low_ - low), 0);
    low_ = low;
  }
  const auto size = static_cast<std::size_t>(high - low_) + 1;
  if (size > limbs_.size()) limbs_.resize(size, 0);
}

void ExactSum::carry() {
  std::int64_t carried = 0;
  for (std::int64_t& limb : limbs_) {
    limb += carried;
    carried = limb >> 32;  // rounds down, so that the digit left is never negative
    limb &= kDigitMask;
  }
  if (carried != 0) limbs_.push_back(carried);
  pending_ = 1;
}

ExactSum::Digits ExactSum::digits() const {
  ExactSum sum = *this;
  sum.carry();
  Digits result;
  result.negative = !sum.limbs_.empty() && sum.limbs_.back() < 0;
  if (result.negative) {
    for (std::int64_t& limb : sum.limbs_) limb = -limb;
    sum.carry();
  }
  const auto used = [](std::int64_t limb) { return limb != 0; };
  const auto first = std::find_if(sum.limbs_.begin(), sum.limbs_.end(), used);
  if (first == sum.limbs_.end()) return Digits();
  const auto last = std::find_if(sum.limbs_.rbegin(), sum.limbs_.rend(), used).base();
  result.low = sum.low_ + static_cast<int>(first - sum.limbs_.begin());
  for (auto limb = first; limb != last; ++limb) {
    result.digits.push_back(static_cast<std::uint32_t>(*limb));
  }
  return result;
}

double ExactSum::value() const {
  const Digits sum = digits();
  if (sum.digits.empty()) return 0;
  // The 64 leading bits, the last of them set if anything follows: converting them rounds once.
  const auto digit = [&](std::size_t from_top) -> std::uint64_t {
    return from_top < sum.digits.size() ? sum.digits[sum.digits.size() - 1 - from_top] : 0;
  };
  const int lead = std::countl_zero(static_cast<std::uint32_t>(digit(0)));
  std::uint64_t bits = (digit(0) << 32 | digit(1)) << lead;
  bits |= (digit(2) << lead) >> 32;
  bool rest = sum.digits.size() > 3 || ((digit(2) << lead) & 0xffffffff) != 0;
  if (rest) bits |= 1;
  const int exponent = 32 * (sum.low + static_cast<int>(sum.digits.size()) - 2) - lead;
  const double magnitude = std::ldexp(static_cast<double>(bits), exponent);
  return sum.negative ? -magnitude : magnitude;
}

bool ExactSum::operator==(const ExactSum& other) const {
  return digits() == other.digits();
}

void ExactSum::append_to(std::string& out) const {
  const Digits sum = digits();
  append_u8(out, static_cast<std::uint8_t>(sum.digits.size() | (sum.negative ? 0x80u : 0u)));
  if (sum.digits.empty()) return;
  append_u8(out, static_cast<std::uint8_t>(sum.low));
  for (const std::uint32_t digit : sum.digits) append_u32(out, digit);
}

ExactSum ExactSum::take_from(std::string_view& in) {
  const std::uint8_t head = take_u8(in);
  const std::size_t count = head & 0x7f;
  const bool negative = (head & 0x80) != 0;
  ExactSum sum;
  if (count == 0) {
    if (negative) refuse_bytes("a sum is minus zero");
    return sum;
  }
  const int low = static_cast<std::int8_t>(take_u8(in));
  if (low < kLeastDigit || low + static_cast<int>(count) - 1 > kGreatestDigit) {
    refuse_bytes("a sum is out of range");
  }
  if (in.size() < 4 * count) refuse_bytes("they end too early");
  sum.low_ = low;
  sum.pending_ = 1;
  sum.limbs_.resize(count);
  for (std::int64_t& limb : sum.limbs_) limb = take_u32(in);
  if (sum.limbs_.front() == 0 || sum.limbs_.back() == 0)
    refuse_bytes("a sum has a zero at its end");
  if (negative) {
    for (std::int64_t& limb : sum.limbs_) limb = -limb;
  }
  return sum;
}

}  // namespace quantlens
