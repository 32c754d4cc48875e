// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/shape_rules.h"

#include <algorithm>
#include <utility>

namespace quantlens::shape_rules {
namespace {

/// Past this, products and sums of extents are not worth their overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 31;

Dim number(std::int64_t extent) {
  return is_usable(extent) ? Dim{.extent = extent, .symbol = {}} : Dim();
}

Dim broadcast(const Dim& a, const Dim& b) {
  if (a.extent && *a.extent != 1) return a;
  if (b.extent && *b.extent != 1) return b;
  if (a.extent) return b;
  if (b.extent) return a;
  return a == b ? a : Dim();
}

/// A window's way along one axis.
struct Step {
  std::int64_t kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0;

  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
  bool is_usable() const {
    const auto fits = [](std::int64_t x) { return shape_rules::is_usable(x); };
    return stride > 0 && fits(kernel) && fits(stride) && fits(dilation) && fits(begin) && fits(end);
  }
};

std::int64_t at(const std::vector<std::int64_t>& list, std::size_t i, std::int64_t otherwise) {
  return i < list.size() ? list[i] : otherwise;
}

std::optional<std::int64_t> slid(std::int64_t extent, const Step& step, const roles::Window& window,
                                 bool back) {
  const std::int64_t pads = step.begin + step.end;
  if (back) {
    if (window.pads_to_fit) return std::nullopt;
    return (extent - 1) * step.stride + step.reach() - pads;
  }
  if (window.pads_to_fit) return (extent + step.stride - 1) / step.stride;
  const std::int64_t room = extent + pads - step.reach();
  if (room < 0) return 0;
  if (!window.rounds_up) return room / step.stride + 1;
  const std::int64_t steps = (room + step.stride - 1) / step.stride;
  // Whether a window counts that begins behind the data depends on a format's version.
  if (steps * step.stride >= extent + step.begin) return std::nullopt;
  return steps + 1;
}

/// Whether any extent stays as it is.
bool stays(const Step& step, const roles::Window& window) {
  if (step.stride != 1 || !window.output_padding.empty()) return false;
  return window.pads_to_fit || step.begin + step.end == step.reach() - 1;
}

/// A product of extents: a number times names.
struct Product {
  std::int64_t number = 1;
  std::vector<std::string> symbols;
  bool is_known = true;

  void multiply(const Dim& dim) {
    if (!dim.extent) {
      is_known = is_known && !dim.symbol.empty();
      symbols.push_back(dim.symbol);
      return;
    }
    is_known = is_known && is_usable(*dim.extent) && is_usable(number * *dim.extent);
    if (is_known) number *= *dim.extent;
  }

  Dim dim() const {
    if (!is_known) return {};
    if (symbols.empty() || number == 0) return shape_rules::number(number);
    return symbols.size() == 1 && number == 1 ? Dim{.extent = {}, .symbol = symbols[0]} : Dim();
  }
};

Product product(std::span<const Dim> dims) {
  Product all;
  for (const Dim& dim : dims) all.multiply(dim);
  return all;
}

/// What is left of `whole` beside `part`.
Dim quotient(Product whole, const Product& part) {
  if (!whole.is_known || !part.is_known || part.number == 0 || whole.number % part.number != 0)
    return {};
  for (const std::string& symbol : part.symbols) {
    const auto found = std::ranges::find(whole.symbols, symbol);
    if (found == whole.symbols.end()) return {};
    whole.symbols.erase(found);
  }
  whole.number /= part.number;
  return whole.dim();
}

}  // namespace

bool is_usable(std::int64_t extent) {
  return extent >= 0 && extent < kMost;
}

Dims dims_of(std::span<const std::int64_t> extents) {
  Dims dims;
  for (const std::int64_t extent : extents) dims.push_back({.extent = extent, .symbol = {}});
  return dims;
}

Dim times(const Dim& dim, std::int64_t factor) {
  if (factor == 1) return dim;
  if (!dim.extent || !is_usable(*dim.extent) || !is_usable(factor)) return {};
  return number(*dim.extent * factor);
}

Dim widened(const Dim& dim, std::int64_t before, std::int64_t behind) {
  if (before == 0 && behind == 0) return dim;
  const auto fits = [](std::int64_t one) { return one > -kMost && one < kMost; };
  if (!dim.extent || !is_usable(*dim.extent) || !fits(before) || !fits(behind)) return {};
  return number(*dim.extent + before + behind);
}

std::optional<std::size_t> axis_number(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

Dims broadcast(const Dims& a, const Dims& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  const auto from_end = [](const Dims& one, std::size_t i) {
    return i < one.size() ? one[one.size() - 1 - i] : number(1);
  };
  Dims row(rank);
  for (std::size_t i = 0; i < rank; ++i)
    row[rank - 1 - i] = broadcast(from_end(a, i), from_end(b, i));
  return row;
}

Dims slid(Dims data, std::size_t first, const roles::Window& window,
          std::span<const std::int64_t> kernel, bool back) {
  for (std::size_t i = 0; first + i < data.size(); ++i) {
    Dim& dim = data[first + i];
    const Step step{.kernel = i < kernel.size() ? kernel[i] : -1,
                    .stride = at(window.strides, i, 1),
                    .dilation = at(window.dilations, i, 1),
                    .begin = at(window.pads, i, 0),
                    .end = at(window.pads, kernel.size() + i, 0)};
    if (window.has_extents || !step.is_usable() || (dim.extent && !is_usable(*dim.extent))) {
      dim = {};
    } else if (!dim.extent) {
      if (!stays(step, window)) dim = {};
    } else {
      const auto extent = slid(*dim.extent, step, window, back);
      const std::int64_t more = back ? at(window.output_padding, i, 0) : 0;
      dim = extent && is_usable(more) ? number(*extent + more) : Dim();
    }
  }
  return data;
}

Dims joined(std::span<const Dims> parts, std::size_t axis) {
  Dims row = parts.front();
  for (const Dims& part : parts.subspan(1)) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == axis) {
        row[i] = part[i].extent ? widened(row[i], *part[i].extent, 0) : Dim();
      } else if (!row[i].extent && (part[i].extent || row[i].symbol.empty())) {
        row[i] = part[i];
      }
    }
  }
  return row;
}

Dims reshaped(const std::optional<Dims>& data, const Dims& target, bool copies_zeros) {
  Dims row;
  std::optional<std::size_t> rest;
  for (const Dim& one : target) {
    const std::size_t place = row.size();
    if (one.extent == -1) rest = place;
    if (one.extent == 0 && copies_zeros) {
      row.push_back(data && place < data->size() ? (*data)[place] : Dim());
    } else {
      row.push_back(one.extent ? number(*one.extent) : one);
    }
  }
  if (!rest || !data) return row;
  Product others;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != *rest) others.multiply(row[i]);
  }
  row[*rest] = quotient(product(*data), others);
  return row;
}

Dims flattened(const Dims& data, std::size_t axis) {
  const std::span<const Dim> dims = data;
  return {product(dims.first(axis)).dim(), product(dims.subspan(axis)).dim()};
}

Dim sliced(const Dim& data, const Slice& slice) {
  if (!slice.begin || !slice.end || !slice.step || *slice.step == 0) return {};
  if (!data.extent || !is_usable(*data.extent)) {
    const bool is_whole = *slice.begin == 0 && *slice.end >= kMost - 1 && *slice.step == 1;
    return is_whole ? data : Dim();
  }
  const std::int64_t extent = *data.extent;
  if (extent == 0) return data;
  const bool forward = *slice.step > 0;
  const auto place = [&](std::int64_t at, std::int64_t least) {
    if (at < 0) at = std::max(at, -extent - 1) + extent;
    return std::clamp(at, least, forward ? extent : extent - 1);
  };
  const std::int64_t begin = place(*slice.begin, 0), end = place(*slice.end, forward ? 0 : -1);
  const std::int64_t way = forward ? end - begin : begin - end;
  if (way <= 0) return number(0);
  // The least number has no positive one.
  const std::int64_t step = forward ? *slice.step : -std::max(*slice.step, -kMost);
  return number((way - 1) / step + 1);
}

Dims without(const Dims& data, std::span<const std::size_t> axes, bool keeps) {
  Dims row;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool is_named = std::ranges::find(axes, i) != axes.end();
    if (!is_named) row.push_back(data[i]);
    if (is_named && keeps) row.push_back(number(1));
  }
  return row;
}

Dims with(const Dims& data, std::span<const std::size_t> axes) {
  Dims row(data.size() + axes.size());
  auto from = data.begin();
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool is_new = std::ranges::find(axes, i) != axes.end();
    if (is_new || from == data.end()) {
      row[i] = number(1);
    } else {
      row[i] = *from++;
    }
  }
  return row;
}

}  // namespace quantlens::shape_rules
