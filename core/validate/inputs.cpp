#include "core/validate/inputs.hpp"

#include "core/exec/reference.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace aicf {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// For each integer input, the smallest extent of what its values index (0: it indexes nothing).
std::vector<std::int64_t> id_extents(const Definition& definition,
                                     const std::map<std::string, std::vector<std::int64_t>>& shapes) {
  std::vector<std::int64_t> extents(definition.inputs, 0);
  const Arena& arena = definition.arena;
  for (ExprId id = 0; id < arena.size(); ++id) {
    if (arena[id].op != Op::load) continue;
    auto known = shapes.find(definition.tensors[arena[id].payload].name);
    if (known == shapes.end()) continue; // a value between: ids that index it are checked where it is made
    const auto& shape = known->second;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      ExprId index = arena.operand(id, k);
      for (ExprId inner : reachable(arena, std::span(&index, 1))) {
        if (arena[inner].op != Op::load || arena[inner].payload >= definition.inputs) continue;
        std::int64_t& extent = extents[arena[inner].payload];
        extent = extent == 0 ? shape[k] : std::min(extent, shape[k]);
      }
    }
  }
  return extents;
}

/// Positions of a row of n at which tiles, vectors, warps and blocks begin or end.
std::vector<std::int64_t> edges(std::int64_t n) {
  std::vector<std::int64_t> at{0, n - 1};
  for (std::int64_t tile : {2, 4, 8, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192})
    for (std::int64_t p : {tile - 1, tile, (n - 1) / tile * tile, (n - 1) / tile * tile - 1})
      if (p >= 0 && p < n) at.push_back(p);
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

void fill_special(HostTensor& tensor, std::int64_t row, std::int64_t n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  auto base = static_cast<std::size_t>(row * n);
  auto any = [&] {
    return base + static_cast<std::size_t>(std::uniform_int_distribution<std::int64_t>(0, n - 1)(random));
  };
  for (std::int64_t i = 0; i < n; ++i) {
    double value = normal(random);
    if (row % 8 == 3) value = -infinite;
    if (row % 8 == 4) value = 1.5;
    if (row % 8 == 7) value = 0;
    tensor.set(base + static_cast<std::size_t>(i), value);
  }
  switch (row % 8) {
  case 0: tensor.set(any(), std::numeric_limits<double>::quiet_NaN()); break;
  case 1: tensor.set(any(), infinite); break;
  case 2: tensor.set(any(), -infinite), tensor.set(base, -infinite); break;
  case 5: tensor.set(any(), infinite), tensor.set(any(), -infinite); break;
  default: break;
  }
}

/// Deviates; beyond four million of them they repeat, with a prime period, so that no two rows or tiles are alike.
void fill_random(HostTensor& tensor, std::mt19937_64& random) {
  constexpr std::size_t period = 4194301;
  std::normal_distribution<double> normal;
  std::size_t count = tensor.element_count(), size = size_of(tensor.dtype);
  for (std::size_t i = 0; i < std::min(count, period); ++i) tensor.set(i, normal(random));
  for (std::size_t at = period; at < count; at += period)
    std::copy_n(tensor.bytes.begin(), std::min(count - at, period) * size,
                tensor.bytes.begin() + static_cast<std::ptrdiff_t>(at * size));
}

void fill_float(HostTensor& tensor, InputKind kind, std::mt19937_64& random) {
  if (kind == InputKind::random || kind == InputKind::wrong_id) return fill_random(tensor, random);
  std::int64_t n = tensor.shape.empty() ? 1 : tensor.shape.back();
  if (n == 0) return;
  auto rows = static_cast<std::int64_t>(tensor.element_count()) / n;
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> small(-3, 3);
  std::vector<std::int64_t> at = edges(n);
  for (std::int64_t row = 0; row < rows; ++row) {
    auto base = static_cast<std::size_t>(row * n);
    if (kind == InputKind::special) {
      fill_special(tensor, row, n, random);
      continue;
    }
    std::int64_t keep =
        std::int64_t{1} << std::min<std::int64_t>(row % 12, std::bit_width(static_cast<std::uint64_t>(n)) - 1);
    double large = row % 2 == 0 ? (tensor.dtype == DType::f16 ? 6e4 : 1e38) : 200;
    for (std::int64_t i = 0; i < n; ++i) {
      double value = kind == InputKind::integers  ? small(random)
                     : kind == InputKind::outlier ? 0.125 * normal(random)
                     : kind == InputKind::huge    ? std::copysign(large, normal(random))
                                                  : -infinite;
      tensor.set(base + static_cast<std::size_t>(i), value);
    }
    if (kind == InputKind::outlier) {
      std::int64_t p = at[static_cast<std::size_t>(row) % at.size()];
      tensor.set(base + static_cast<std::size_t>(p), row % 3 == 2 ? -24 : 24);
    }
    if (kind == InputKind::zero_or_inf) { // the last position is always kept: a lost tail shows
      std::int64_t step = n / keep;
      for (std::int64_t k = 0; k < keep; ++k) tensor.set(base + static_cast<std::size_t>(n - 1 - k * step), 0);
    }
  }
}

void fill_integer(HostTensor& tensor, InputKind kind, std::int64_t extent, std::mt19937_64& random) {
  bool boolean = tensor.dtype == DType::boolean;
  std::int64_t n = tensor.shape.empty() ? 1 : tensor.shape.back();
  std::uniform_int_distribution<std::int64_t> id(0, std::max<std::int64_t>(extent - 1, 0)),
      small(tensor.dtype == DType::i8 ? -4 : 0, 7), four(0, 3);
  for (std::size_t i = 0; i < tensor.element_count(); ++i) {
    std::int64_t value = boolean ? four(random) != 0 : extent > 0 ? id(random) : small(random);
    if (boolean && kind == InputKind::special && n > 0 && (static_cast<std::int64_t>(i) / n) % 3 == 1)
      value = 0; // a fully masked row
    if (extent > 0 && kind == InputKind::outlier) value = i % 2 == 0 ? extent - 1 : 0;
    tensor.set(i, static_cast<double>(value));
  }
}

} // namespace

std::string_view name_of(InputKind kind) {
  static constexpr std::array<std::string_view, 7> names{"random",  "exact-integers", "exact-zero-or-inf", "outlier",
                                                         "special", "huge",           "wrong-id"};
  return names.at(static_cast<std::size_t>(kind));
}

bool has_ids(const Definition& definition, const Problem& problem) {
  auto shapes = shapes_for(definition, problem.dims, problem.scalars);
  if (!shapes) return false;
  std::vector<std::int64_t> extents = id_extents(definition, *shapes);
  for (std::size_t t = 0; t < definition.inputs; ++t)
    if (extents[t] > 0 && element_count(shapes->at(definition.tensors[t].name)) > 0) return true;
  return false;
}

Result<std::map<std::string, HostTensor>> make_inputs(const Definition& definition, const Problem& problem,
                                                      InputKind kind, std::uint64_t seed) {
  auto shapes = shapes_for(definition, problem.dims, problem.scalars);
  if (!shapes) return shapes.failure<std::map<std::string, HostTensor>>();
  std::vector<std::int64_t> extents = id_extents(definition, *shapes);
  std::map<std::string, HostTensor> inputs;
  for (std::size_t t = 0; t < definition.inputs; ++t) {
    const TensorDecl& decl = definition.tensors[t];
    std::mt19937_64 random(seed * 1000003 + t * 97 + static_cast<std::uint64_t>(kind));
    HostTensor tensor(decl.type.bind(problem.float_type), shapes->at(decl.name));
    if (is_float(tensor.dtype))
      fill_float(tensor, kind, random);
    else
      fill_integer(tensor, kind, extents[t], random);
    if (kind == InputKind::wrong_id && extents[t] > 0 && tensor.element_count() > 0)
      tensor.set(random() % tensor.element_count(), seed % 2 == 0 ? static_cast<double>(extents[t]) : -1);
    inputs.emplace(decl.name, std::move(tensor));
  }
  return inputs;
}

} // namespace aicf
