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

std::size_t add(VariantMemory& memory, const std::string& name, HostTensor tensor) {
  memory.place.emplace(name, memory.tensors.size());
  memory.tensors.push_back(std::move(tensor));
  return memory.tensors.size() - 1;
}

} // namespace

Result<std::vector<Call>> calls_of(const StructureProfile& structure, const Variant& variant, const Problem& problem,
                                   const std::map<std::string, HostTensor>& inputs, VariantMemory& memory) {
  using Calls = std::vector<Call>;
  const Definition& d = *structure.canonical->source;
  Calls calls;
  for (std::size_t m = 0; m < variant.modules.size(); ++m) {
    Call call{variant.modules[m], variant.compiled[m], problem.dims, {}, {}};
    for (const ScalarDecl& s : d.scalars) {
      auto set = problem.scalars.find(s.name);
      call.scalars[s.name] = set == problem.scalars.end() ? s.value : set->second;
    }
    for (const Arg& arg : call.module.args) {
      if (arg.role == Arg::Role::scalar) {
        if (call.scalars.contains(arg.name)) continue;
        auto value = evaluate(DimExpr{arg.name}, problem.dims); // a size, or what is computed of sizes
        if (!value) return value.failure<Calls>();
        call.scalars[arg.name] = static_cast<double>(*value);
        continue;
      }
      auto known = memory.place.find(arg.name);
      if (known == memory.place.end()) {
        if (auto input = inputs.find(arg.name); input != inputs.end() && arg.role == Arg::Role::input) {
          if (input->second.dtype != arg.dtype)
            return error("run.type", "input " + arg.name + " is " + std::string(name_of(input->second.dtype)) +
                                         ", the kernel takes " + std::string(name_of(arg.dtype)));
          call.buffers.push_back(add(memory, arg.name, input->second));
          continue;
        }
        if (arg.role == Arg::Role::input) return error("run.input", "no input " + arg.name);
        std::vector<std::int64_t> shape;
        for (const DimExpr& extent : arg.shape) {
          auto value = evaluate(extent, problem.dims);
          if (!value) return value.failure<Calls>();
          shape.push_back(*value);
        }
        HostTensor fresh(arg.dtype, shape);
        if (!fresh.bytes.empty()) std::memset(fresh.bytes.data(), 0xff, fresh.bytes.size());
        call.buffers.push_back(add(memory, arg.name, std::move(fresh)));
      } else {
        call.buffers.push_back(known->second);
      }
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

std::vector<Buffer> VariantMemory::buffers() {
  std::vector<Buffer> out;
  for (HostTensor& t : tensors) out.push_back({t.bytes, t.dtype, t.shape, packed_strides(t.shape)});
  return out;
}

Result<std::map<std::string, HostTensor>> run_variant(const StructureProfile& structure, const Variant& variant,
                                                      const Problem& problem,
                                                      const std::map<std::string, HostTensor>& inputs, Backend& backend,
                                                      const RunOptions& options, RunResult* result,
                                                      std::stop_token stop) {
  using Outputs = std::map<std::string, HostTensor>;
  const Definition& d = *structure.canonical->source;
  VariantMemory memory;
  auto calls = calls_of(structure, variant, problem, inputs, memory);
  if (!calls) return calls.failure<Outputs>();
  std::vector<Buffer> buffers = memory.buffers();
  auto run = backend.run(*calls, buffers, options, std::move(stop));
  if (!run) return run.failure<Outputs>();
  if (result != nullptr) *result = *run;
  Outputs outputs;
  auto shapes = shapes_for(d, problem.dims, problem.scalars);
  if (!shapes) return shapes.failure<Outputs>();
  for (TensorId t : d.outputs) {
    const std::string& name = d.tensors[t].name;
    if (auto at = memory.place.find(name); at != memory.place.end()) {
      outputs.emplace(name, std::move(memory.tensors[at->second]));
      continue;
    }
    auto shape = shapes->find(name); // no launch touches a tensor without elements
    if (shape != shapes->end() && std::count(shape->second.begin(), shape->second.end(), 0) > 0)
      outputs.emplace(name, HostTensor(d.tensors[t].type.bind(problem.float_type), shape->second));
  }
  if (outputs.size() != d.outputs.size())
    return error("run.output", "the variant writes " + std::to_string(outputs.size()) + " of " +
                                   std::to_string(d.outputs.size()) + " results");
  return outputs;
}

} // namespace aicf
