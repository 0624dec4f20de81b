#include "core/exec/reference.hpp"
#include "core/kernel/dim_expr.hpp"
#include "core/validate/validate.hpp"

#include <algorithm>
#include <cstring>

namespace aicf {
namespace {

std::vector<std::int64_t> packed_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
  return strides;
}

/// Buffers of a variant by argument name: inputs as given, everything else poisoned (all bits set: NaN, or -1).
struct Memory {
  std::map<std::string, std::size_t> place;
  std::vector<HostTensor> tensors;

  std::size_t add(const std::string& name, HostTensor tensor) {
    place.emplace(name, tensors.size());
    tensors.push_back(std::move(tensor));
    return tensors.size() - 1;
  }
};

} // namespace

Result<std::map<std::string, HostTensor>> run_variant(const StructureProfile& structure, const Variant& variant,
                                                      const Problem& problem,
                                                      const std::map<std::string, HostTensor>& inputs, Backend& backend,
                                                      const RunOptions& options, RunResult* result,
                                                      std::stop_token stop) {
  using Outputs = std::map<std::string, HostTensor>;
  const Definition& d = *structure.canonical->source;
  Memory memory;
  std::vector<Call> calls;
  for (std::size_t m = 0; m < variant.modules.size(); ++m) {
    Call call{variant.modules[m], variant.compiled[m], problem.dims, {}, {}};
    for (const ScalarDecl& s : d.scalars) {
      auto set = problem.scalars.find(s.name);
      call.scalars[s.name] = set == problem.scalars.end() ? s.value : set->second;
    }
    for (const Arg& arg : call.module.args) {
      if (arg.role == Arg::Role::scalar) continue;
      auto known = memory.place.find(arg.name);
      if (known == memory.place.end()) {
        if (auto input = inputs.find(arg.name); input != inputs.end() && arg.role == Arg::Role::input) {
          if (input->second.dtype != arg.dtype)
            return error("run.type", "input " + arg.name + " is " + std::string(name_of(input->second.dtype)) +
                                         ", the kernel takes " + std::string(name_of(arg.dtype)));
          call.buffers.push_back(memory.add(arg.name, input->second));
          continue;
        }
        if (arg.role == Arg::Role::input) return error("run.input", "no input " + arg.name);
        std::vector<std::int64_t> shape;
        for (const DimExpr& extent : arg.shape) {
          auto value = evaluate(extent, problem.dims);
          if (!value) return value.failure<Outputs>();
          shape.push_back(*value);
        }
        HostTensor fresh(arg.dtype, shape);
        if (!fresh.bytes.empty()) std::memset(fresh.bytes.data(), 0xff, fresh.bytes.size());
        call.buffers.push_back(memory.add(arg.name, std::move(fresh)));
      } else {
        call.buffers.push_back(known->second);
      }
    }
    calls.push_back(std::move(call));
  }
  std::vector<Buffer> buffers;
  for (HostTensor& t : memory.tensors) buffers.push_back({t.bytes, t.dtype, t.shape, packed_strides(t.shape)});
  auto run = backend.run(calls, buffers, options, std::move(stop));
  if (!run) return run.failure<Outputs>();
  if (result != nullptr) *result = *run;
  Outputs outputs;
  for (TensorId t : d.outputs) {
    const std::string& name = d.tensors[t].name;
    if (auto at = memory.place.find(name); at != memory.place.end())
      outputs.emplace(name, std::move(memory.tensors[at->second]));
  }
  if (outputs.size() != d.outputs.size())
    return error("run.output", "the variant writes " + std::to_string(outputs.size()) + " of " +
                                   std::to_string(d.outputs.size()) + " results");
  return outputs;
}

} // namespace aicf
