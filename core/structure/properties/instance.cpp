#include "core/structure/properties/instance.hpp"

#include "core/structure/field.hpp"
#include "core/structure/node_program.hpp"
#include "core/structure/properties/unroll.hpp"
#include "core/structure/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace aicf {
namespace {

constexpr std::size_t max_symbols = 160; ///< real input elements
constexpr std::size_t max_results = 160; ///< result elements
constexpr std::size_t max_nodes = 12000;

std::size_t product(const std::vector<std::int64_t>& shape) {
  std::size_t n = 1;
  for (std::int64_t e : shape) n *= static_cast<std::size_t>(e);
  return n;
}

} // namespace

std::size_t Instance::Input::count() const { return product(shape); }
std::size_t Instance::Output::count() const { return product(shape); }

ExprId Instance::extra(std::size_t k) {
  return arena_->make(Op::symbol, Kind::real, {}, static_cast<std::uint32_t>(symbols_ + k));
}

ExprId Instance::element(std::size_t input, std::size_t element) const {
  const Input& in = inputs_[input];
  if (in.real) return arena_->make(Op::symbol, Kind::real, {}, static_cast<std::uint32_t>(in.first + element));
  Kind kind = canonical_->source->tensors[input].kind;
  return arena_->number(in.fixed[element], kind);
}

bool Instance::bind(const Canonical& canonical, std::map<std::string, std::int64_t> dims, std::uint64_t seed) {
  canonical_ = &canonical;
  dims_ = std::move(dims);
  arena_ = std::make_shared<Arena>();
  const Definition& d = *canonical.source;
  for (const std::string& name : d.dims) dim_values_.push_back(dims_.at(name));
  auto shape_of = [&](const TensorDecl& t, std::vector<int>& axis_dim) -> std::optional<std::vector<std::int64_t>> {
    std::vector<std::int64_t> shape;
    for (ExprId e : t.shape) {
      NodeProgram program(d.arena, {e});
      std::vector<double> values;
      DoubleMath math;
      program.literals<DoubleMath>(math, values, [](double v) { return v; });
      for (ExprId leaf : program.leaves()) {
        const Node& n = d.arena[leaf];
        if (n.op == Op::dim) values[program.place(leaf)] = static_cast<double>(dim_values_[n.payload]);
        if (n.op == Op::scalar) values[program.place(leaf)] = d.scalars[n.payload].value;
      }
      program.run(math, values);
      double v = values[program.place(e)];
      if (!(v >= 1) || v > 64) return std::nullopt;
      shape.push_back(static_cast<std::int64_t>(v));
      axis_dim.push_back(d.arena[e].op == Op::dim ? static_cast<int>(d.arena[e].payload) : -1);
    }
    return shape;
  };
  Random random(mix(seed, 5));
  for (std::size_t t = 0; t < d.inputs; ++t) {
    Input in;
    in.name = d.tensors[t].name;
    auto shape = shape_of(d.tensors[t], in.axis_dim);
    if (!shape) return false;
    in.shape = std::move(*shape);
    in.real = d.tensors[t].kind == Kind::real;
    in.first = symbols_;
    if (in.real) symbols_ += in.count();
    for (std::size_t i = 0; !in.real && i < in.count(); ++i) in.fixed.push_back(static_cast<double>(random.below(2)));
    inputs_.push_back(std::move(in));
    if (symbols_ > max_symbols) return false;
  }
  std::size_t results = 0;
  for (TensorId t : d.outputs) {
    Output out;
    out.name = d.tensors[t].name;
    out.kind = d.tensors[t].kind;
    auto shape = shape_of(d.tensors[t], out.axis_dim);
    if (!shape) return false;
    out.shape = std::move(*shape);
    results += out.count();
    outputs_.push_back(std::move(out));
  }
  if (results > max_results) return false;
  auto written = written_out([this](std::size_t input, std::size_t e) { return element(input, e); });
  if (!written || arena_->size() > max_nodes) return false;
  results_ = std::move(*written);
  return true;
}

std::optional<Instance::Elements> Instance::written_out(const Load& load) {
  std::vector<Unroller::Tensor> shapes;
  for (const Input& in : inputs_) shapes.push_back({in.shape});
  Unroller unroller(*canonical_, *arena_, dim_values_, shapes,
                    [&load](TensorId t, std::size_t e) { return load(t, e); });
  Elements all;
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const CanonicalValue& value = canonical_->outputs[o];
    std::vector<ExprId> elements;
    for (std::size_t e = 0; e < outputs_[o].count(); ++e) {
      std::vector<std::int64_t> index(outputs_[o].shape.size());
      std::size_t rest = e;
      for (std::size_t k = index.size(); k-- > 0;) {
        index[k] = static_cast<std::int64_t>(rest) % outputs_[o].shape[k];
        rest /= static_cast<std::size_t>(outputs_[o].shape[k]);
      }
      auto v = unroller.value(value.body, index);
      if (!v) {
        failure_ = unroller.failure();
        return std::nullopt;
      }
      elements.push_back(*v);
    }
    all.push_back(std::move(elements));
  }
  return all;
}

std::unique_ptr<Instance> Instance::find(const Canonical& canonical, std::uint64_t seed, std::string& why) {
  const Definition& d = *canonical.source;
  const std::size_t n = d.dims.size();
  Random random(mix(seed, 3));
  std::vector<std::vector<std::int64_t>> tries;
  tries.emplace_back(n, 3);
  for (std::size_t k = 0; k < n && k < 4; ++k) { // one after another smaller, then larger
    tries.emplace_back(n, 3);
    tries.back()[k] = 2;
    tries.emplace_back(n, 2);
    tries.back()[k] = 4;
  }
  tries.emplace_back(n, 2);
  tries.emplace_back(n, 4);
  for (int k = 0; k < 60 && n > 0; ++k) {
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < n; ++i) sizes.push_back(1 + static_cast<std::int64_t>(random.below(k < 40 ? 4 : 7)));
    tries.push_back(std::move(sizes));
  }
  std::unique_ptr<Instance> best;
  for (const auto& sizes : tries) {
    std::map<std::string, std::int64_t> dims;
    for (std::size_t k = 0; k < n; ++k) dims[d.dims[k]] = sizes[k];
    std::unique_ptr<Instance> made(new Instance);
    if (!made->bind(canonical, std::move(dims), seed)) {
      if (!made->failure_.empty()) why = made->failure_;
      continue;
    }
    auto wide = [](const auto& list) {
      return std::all_of(list.begin(), list.end(), [](const auto& t) {
        return std::all_of(t.shape.begin(), t.shape.end(), [](std::int64_t e) { return e > 1; });
      });
    };
    if (wide(made->inputs_) && wide(made->outputs_)) return made;
    if (!best) best = std::move(made); // an axis of extent 1 shows less
  }
  if (!best && why.empty()) why = "no small sizes fit its shapes";
  return best;
}

std::string Instance::sizes() const {
  std::string text;
  for (const std::string& name : canonical_->source->dims)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(dims_.at(name));
  return text.empty() ? "its size" : text;
}

std::vector<bool> Instance::reads(ExprId root) const {
  std::vector<bool> out(symbols_, false);
  std::array roots{root};
  for (ExprId id : reachable(*arena_, roots))
    if ((*arena_)[id].op == Op::symbol && (*arena_)[id].payload < symbols_) out[(*arena_)[id].payload] = true;
  return out;
}

std::map<std::string, std::vector<double>> Instance::named(const std::vector<double>& symbols) const {
  std::map<std::string, std::vector<double>> out;
  for (const Input& in : inputs_) {
    if (in.real)
      out[in.name].assign(symbols.begin() + static_cast<std::ptrdiff_t>(in.first),
                          symbols.begin() + static_cast<std::ptrdiff_t>(in.first + in.count()));
    else
      out[in.name] = in.fixed;
  }
  return out;
}

} // namespace aicf
