#include "core/exec/reference.hpp"

#include "core/exec/reference/evaluate.hpp"
#include "core/exec/reference/mpfr_number.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace aicf {
namespace {

using namespace reference;

/// Numbers a register holds: enough to hide the cost of an instruction, few enough to stay in cache.
constexpr std::int64_t f64_lanes = 256, big_lanes = 32;

bool holds(Kind kind, DType type) {
  switch (kind) {
  case Kind::real: return is_float(type);
  case Kind::integer: return !is_float(type) && type != DType::boolean;
  default: return type == DType::boolean;
  }
}

std::int64_t integer_at(const HostTensor& tensor, std::size_t i) {
  if (tensor.dtype != DType::i64) return static_cast<std::int64_t>(tensor.get(i));
  std::int64_t v = 0; // beyond 2^53 a double would round
  std::memcpy(&v, tensor.bytes.data() + i * sizeof v, sizeof v);
  return v;
}

template <class F> void fill(F& field, Array<typename F::Value>& array, const HostTensor& tensor) {
  std::size_t n = tensor.element_count();
  for (std::size_t i = 0; i < n; ++i) {
    if (array.file == File::real) field.assign(array.reals[i], tensor.get(i));
    if (array.file == File::integer) array.integers[i] = integer_at(tensor, i);
    if (array.file == File::truth) array.truths[i] = tensor.get(i) != 0 ? 1 : 0;
  }
}

template <class F>
Result<std::map<std::string, HostTensor>> evaluate_in(F field, std::int64_t lanes, const Definition& d,
                                                      BoundNames names, const Bindings& bindings,
                                                      const std::stop_token& stop) {
  Evaluation<F> evaluation(d, std::move(names), std::move(field), lanes, stop);
  for (TensorId t = 0; t < d.inputs; ++t) {
    auto& array = evaluation.input(t);
    if (!evaluation.problems().empty()) return evaluation.problems();
    fill(evaluation.field(), array, bindings.inputs.at(d.tensors[t].name));
  }
  if (!evaluation.run()) return evaluation.problems();
  std::map<std::string, HostTensor> results;
  for (TensorId t : d.outputs) {
    HostTensor& out = results[d.tensors[t].name];
    out = HostTensor(DType::f64, evaluation.result_shape(t));
    std::size_t i = 0;
    evaluation.each(t, [&](const auto& array, std::size_t e) {
      double v = 0;
      if (array.file == File::real) v = evaluation.field().to_double(array.reals[e]);
      if (array.file == File::integer) v = static_cast<double>(array.integers[e]);
      if (array.file == File::truth) v = array.truths[e];
      std::memcpy(out.bytes.data() + sizeof v * i++, &v, sizeof v);
    });
  }
  return results;
}

/// The working precision of this thread, put back when done.
class Precision {
 public:
  explicit Precision(int bits) : before_(BigFloat::precision()) { BigFloat::precision() = bits; }
  Precision(const Precision&) = delete;
  Precision& operator=(const Precision&) = delete;
  ~Precision() { BigFloat::precision() = before_; }

 private:
  mpfr_prec_t before_;
};

} // namespace

Result<std::map<std::string, HostTensor>> evaluate(const Definition& d, const Bindings& bindings,
                                                   const ReferenceOptions& options) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto& [name, tensor] : bindings.inputs) shapes[name] = tensor.shape;
  auto dims = bind_dims(d, shapes, bindings.scalars);
  if (!dims) return dims.failure<std::map<std::string, HostTensor>>();
  std::vector<Diagnostic> problems;
  for (TensorId t = 0; t < d.inputs; ++t) {
    const TensorDecl& tensor = d.tensors[t];
    DType given = bindings.inputs.at(tensor.name).dtype;
    if (!holds(tensor.kind, given))
      problems.push_back(error("bind.type",
                               "input " + tensor.name + " is " +
                                   std::string(tensor.type.generic ? "float" : name_of(tensor.type.fixed)) +
                                   ", but a tensor of " + std::string(name_of(given)) + " is given",
                               tensor.at));
  }
  BoundNames names;
  names.scalars = bind_scalars(d, bindings.scalars, problems);
  if (!problems.empty()) return problems;
  for (const std::string& dim : d.dims) names.dims.push_back(dims->at(dim));
  try {
    if (options.precision <= 53) return evaluate_in(F64{}, f64_lanes, d, std::move(names), bindings, options.stop);
    Precision precision(options.precision);
    return evaluate_in(Mpfr{}, big_lanes, d, std::move(names), bindings, options.stop);
  } catch (const std::bad_alloc&) {
    return error("evaluate.memory", d.name + " does not fit in memory at these sizes");
  }
}

} // namespace aicf
