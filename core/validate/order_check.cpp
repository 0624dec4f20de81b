#include "core/validate/order_check.hpp"

#include "core/exec/reference.hpp"
#include "core/validate/compare.hpp"
#include "core/validate/inputs.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

namespace aicf {
namespace {

using Tensors = std::map<std::string, HostTensor>;

/// Calls f(place in the smaller, place in the larger) for every element of a tensor of `small` extents that begins
/// where one of `large` extents does.
template <class F> void corner(const std::vector<std::int64_t>& small, const std::vector<std::int64_t>& large, F f) {
  const std::size_t count = element_count(small);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i, place = 0, stride = 1;
    for (std::size_t k = small.size(); k-- > 0;) {
      const auto extent = static_cast<std::size_t>(small[k]);
      place += rest % extent * stride;
      rest /= extent;
      stride *= static_cast<std::size_t>(large[k]);
    }
    f(i, place);
  }
}

HostTensor cut(const HostTensor& whole, const std::vector<std::int64_t>& shape) {
  HostTensor out(whole.dtype, shape);
  const std::size_t size = size_of(whole.dtype);
  corner(shape, whole.shape, [&](std::size_t i, std::size_t from) {
    std::memcpy(out.bytes.data() + i * size, whole.bytes.data() + from * size, size);
  });
  return out;
}

/// Empty when every element of `some` has the bits that it has in `all`.
std::string difference(const Tensors& all, const Tensors& some, const std::string& when) {
  std::ostringstream text;
  text.precision(17);
  for (const auto& entry : some) {
    const std::string& name = entry.first;
    const HostTensor &part = entry.second, &whole = all.at(name);
    const std::size_t size = size_of(part.dtype);
    corner(part.shape, whole.shape, [&](std::size_t i, std::size_t from) {
      if (text.tellp() > 0 || std::memcmp(part.bytes.data() + i * size, whole.bytes.data() + from * size, size) == 0)
        return;
      text << name << position(part.shape, i) << " is " << whole.get(from) << ", and " << part.get(i) << " " << when;
    });
  }
  return text.str();
}

class Confirmation {
 public:
  Confirmation(const StructureProfile& structure, Backend& backend, const Build& build, std::stop_token stop)
      : structure_(structure), backend_(backend), build_(build), stop_(std::move(stop)) {}

  Result<Tensors> run(const Problem& problem, const Tensors& inputs, std::uint64_t order) const {
    auto variant = build_(problem);
    if (!variant) return variant.failure<Tensors>();
    RunOptions how;
    how.block_order_seed = order;
    how.checks = false;
    RunResult result;
    auto outputs = run_variant(structure_, *variant, problem, inputs, backend_, how, &result, stop_);
    if (outputs && result.status != RunResult::Status::ok)
      return error("order.run", result.faults.empty() ? "the run ended early" : result.faults.front().message);
    return outputs;
  }

  /// The inputs of a smaller problem: the first of those of a larger one.
  [[nodiscard]] Result<Tensors> first_of(const Tensors& inputs, const Problem& problem) const {
    auto shapes = shapes_for(*structure_.canonical->source, problem.dims, problem.scalars);
    if (!shapes) return shapes.failure<Tensors>();
    Tensors out;
    for (const auto& [name, tensor] : inputs) out.emplace(name, cut(tensor, shapes->at(name)));
    return out;
  }

 private:
  const StructureProfile& structure_;
  Backend& backend_;
  const Build& build_;
  std::stop_token stop_;
};

bool is_dim(const Arena& arena, ExprId id, std::uint32_t dim) {
  return arena[id].op == Op::dim && arena[id].payload == dim;
}

/// The dims that some expressions speak of.
std::set<std::uint32_t> dims_in(const Arena& arena, std::span<const ExprId> roots) {
  std::set<std::uint32_t> dims;
  for (ExprId id : reachable(arena, roots))
    if (arena[id].op == Op::dim) dims.insert(arena[id].payload);
  return dims;
}

/// The dims whose places a definition reads by anything but its result's own index along them: a neighbour, a constant
/// place, a gather. Where such a dim is cut short, what is read there changes or is gone.
std::set<std::uint32_t> dims_read_elsewhere(const Canonical& canonical) {
  const Definition& d = *canonical.source;
  const Arena& arena = canonical.arena;
  std::set<std::uint32_t> elsewhere;
  for (const CanonicalValue& value : canonical.outputs) {
    auto own = [&](const Node& index, ExprId extent) {
      return d.arena[extent].op == Op::dim && index.op == Op::index && index.payload < value.hi.size() &&
             is_dim(arena, value.hi[index.payload], d.arena[extent].payload);
    };
    for (ExprId id : reachable(arena, std::span(&value.body, 1))) {
      if (arena[id].op != Op::load && arena[id].op != Op::padded_load) continue;
      const std::vector<ExprId>& shape = d.tensors[arena[id].payload].shape;
      for (std::size_t k = 0; k < shape.size(); ++k)
        if (!own(arena[arena.operand(id, k)], shape[k])) elsewhere.merge(dims_in(d.arena, std::span(&shape[k], 1)));
    }
  }
  return elsewhere;
}

} // namespace

std::vector<std::string> batch_dims(const StructureProfile& structure) {
  const Canonical& canonical = *structure.canonical;
  const Arena& arena = canonical.arena;
  std::vector<ExprId> bodies;
  for (const auto* list : {&canonical.values, &canonical.outputs})
    for (const CanonicalValue& value : *list) bodies.push_back(value.body);
  const std::set<std::uint32_t> spoken_of = dims_in(arena, bodies);
  const std::set<std::uint32_t> elsewhere = dims_read_elsewhere(canonical);
  std::vector<std::string> dims;
  for (std::uint32_t d = 0; d < canonical.source->dims.size(); ++d) {
    const bool axis_of_each =
        std::all_of(canonical.outputs.begin(), canonical.outputs.end(), [&](const CanonicalValue& value) {
          return std::any_of(value.hi.begin(), value.hi.end(), [&](ExprId hi) { return is_dim(arena, hi, d); });
        });
    if (axis_of_each && canonical.values.empty() && !spoken_of.contains(d) && !elsewhere.contains(d))
      dims.push_back(canonical.source->dims[d]);
  }
  return dims;
}

Result<OrderConfirmation> confirm_order(const StructureProfile& structure, const Problem& problem, Backend& backend,
                                        const Build& build, const OrderTrial& how, std::stop_token stop) {
  const Confirmation with(structure, backend, build, stop);
  Problem largest = problem;
  const std::vector<std::string> batch = batch_dims(structure);
  for (const std::string& dim : batch)
    if (how.beyond) largest.dims[dim] = 2 * problem.dims.at(dim) + 3;
  auto inputs = make_inputs(*structure.canonical->source, largest, InputKind::random, how.seed);
  if (!inputs) return inputs.failure<OrderConfirmation>();
  auto whole = how.whole != nullptr ? Result<Tensors>(*how.whole) : with.run(largest, *inputs, 0);
  if (!whole) return whole.failure<OrderConfirmation>();
  OrderConfirmation out;
  auto compare_with = [&](const Tensors& other, const std::string& when, bool& same) {
    out.tried.push_back(when);
    const std::string differs = difference(*whole, other, when);
    if (differs.empty()) return;
    same = false;
    if (out.difference.empty()) out.difference = differs;
  };
  for (int k = 1; k <= how.orders && !stop.stop_requested(); ++k) {
    auto again = with.run(largest, *inputs, how.seed * 1000 + static_cast<std::uint64_t>(k));
    if (!again) return again.failure<OrderConfirmation>();
    compare_with(*again, "with blocks in order " + std::to_string(k), out.run_to_run);
  }
  for (const std::string& dim : batch) {
    const std::int64_t own = problem.dims.at(dim);
    std::set<std::int64_t> sizes{1, own / 2};
    if (how.beyond) sizes.insert({own - 1, own});
    for (std::int64_t size : sizes) {
      if (size < 1 || size >= largest.dims.at(dim) || stop.stop_requested()) continue;
      Problem part = largest;
      part.dims[dim] = size;
      auto first = with.first_of(*inputs, part);
      if (!first) return first.failure<OrderConfirmation>();
      auto results = with.run(part, *first, 0);
      if (!results && !results.missing) continue; // no such kernel, or it does not run there
      if (!results) return results.failure<OrderConfirmation>();
      compare_with(*results, "with " + dim + "=" + std::to_string(size) + " of " + std::to_string(largest.dims.at(dim)),
                   out.batch_invariant);
    }
  }
  return out;
}

} // namespace aicf
