#include "core/kernel/lower.hpp"

#include "core/kernel/assign_names.hpp"
#include "core/kernel/cuda_printer.hpp"
#include "core/kernel/family_builder.hpp"
#include "core/kernel/hoist_invariants.hpp"
#include "core/kernel/lower_collectives.hpp"
#include "core/kernel/pack_extremes.hpp"
#include "core/kernel/print_ir.hpp"
#include "core/kernel/select_functions.hpp"
#include "core/kernel/simplify.hpp"
#include "core/kernel/vectorise.hpp"
#include "core/kernel/verify.hpp"
#include "core/plan/choice.hpp"
#include "core/plan/dims.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace aicf {
namespace {

using ir::Kernel;

struct Pass {
  const char* name;
  std::function<void(Kernel&, const Plan&)> run;
};

ir::FunctionChoice function_choice(const Plan& plan) {
  ir::FunctionChoice c;
  c.fast_exp = chosen(plan, "exp", "fast");
  c.fast_log = chosen(plan, "log", "fast");
  c.fast_erf = chosen(plan, "erf", "fast");
  c.fast_tanh = chosen(plan, "tanh", "fast");
  if (chosen(plan, "divide", "reciprocal")) c.divide = ir::Divide::reciprocal;
  if (chosen(plan, "divide", "fast")) c.divide = ir::Divide::fast;
  return c;
}

/// What happens to a kernel between its family's builder and the printer, in order.
const std::vector<Pass>& passes() {
  static const std::vector<Pass> all{
      {"simplify", [](Kernel& k, const Plan&) { ir::simplify(k); }},
      {"hoist_invariants", [](Kernel& k, const Plan&) { ir::hoist_invariants(k); }},
      {"select_functions", [](Kernel& k, const Plan& p) { ir::select_functions(k, function_choice(p)); }},
      {"lower_collectives", [](Kernel& k, const Plan&) { ir::lower_collectives(k); }},
      {"simplify_again", [](Kernel& k, const Plan&) { ir::simplify(k); }},
      {"hoist_again", [](Kernel& k, const Plan&) { ir::hoist_invariants(k); }},
      {"pack_extremes", [](Kernel& k, const Plan&) { ir::pack_extremes(k); }},
      {"vectorise", [](Kernel& k, const Plan&) { ir::vectorise(k); }},
      {"remove_dead", [](Kernel& k, const Plan&) { ir::simplify(k); }},
      {"assign_names", [](Kernel& k, const Plan&) { ir::assign_names(k); }},
  };
  return all;
}

std::vector<DimExpr> extents(const Arena& arena, const std::vector<ExprId>& shape, const DimBinding& names) {
  std::vector<DimExpr> out;
  out.reserve(shape.size());
  for (ExprId e : shape) out.push_back({dim_text(arena, e, names).value_or("0")});
  return out;
}

KernelModule module_of(const Kernel& k, const StructureProfile& profile, const Plan& plan, const Problem& problem,
                       const std::vector<std::string>& param_names, const std::vector<std::string>& buffer_names) {
  const Definition& d = *profile.canonical->source;
  DimBinding names{&d, nullptr, &problem.scalars};
  ir::CudaText text = ir::print_cuda(k);
  KernelModule m;
  m.entry = k.name, m.cuda_source = std::move(text.source), m.notes = std::move(text.notes);
  m.arch = problem.target, m.launch = k.launch, m.options = k.options, m.plan = id_of(plan);
  m.launch.dynamic_shared.text = std::to_string(text.dynamic_shared);
  std::vector<TensorId> tensors; // in the order in which the global buffers were declared
  for (TensorId t = 0; t < d.inputs; ++t) tensors.push_back(t);
  tensors.insert(tensors.end(), d.outputs.begin(), d.outputs.end());
  for (ir::BufferId id : ir::arguments(k)) {
    const ir::Buffer& b = k.buffers[id];
    Arg arg{b.name, b.role, b.dtype, {}, {}};
    if (b.role == Arg::Role::workspace) {
      arg.name = "workspace." + buffer_names[id]; // no tensor has such a name
      for (const std::string& extent : b.extents) arg.shape.push_back({extent});
    } else {
      const TensorDecl& t = d.tensors[tensors.at(id)];
      arg.name = t.name, arg.shape = extents(d.arena, t.shape, names);
    }
    m.args.push_back(std::move(arg));
  }
  for (std::size_t i = 0; i < k.params.size(); ++i) {
    DType type = k.params[i].type == ir::Type::f64 ? DType::f64 : DType::f32;
    if (k.params[i].dim)
      m.dim_args.push_back(param_names[i]);
    else
      m.args.push_back({param_names[i], Arg::Role::scalar, type, {}, {}});
  }
  return m;
}

} // namespace

std::vector<std::string> pass_names() {
  std::vector<std::string> names{"build"};
  for (const Pass& p : passes()) names.emplace_back(p.name);
  return names;
}

Result<std::vector<KernelModule>> lower(const StructureProfile& profile, const Plan& plan, const Problem& problem,
                                        const std::string& dump_after, std::string* dump) {
  const ir::FamilyBuilder* builder = ir::family_builder(plan.family);
  if (builder == nullptr) return error("kernel.no-family", "no kernels are built for the family '" + plan.family + "'");
  for (const Family& f : families())
    if (f.id == plan.family)
      if (std::string why = f.mismatch(profile); !why.empty()) return error("kernel.mismatch", f.id + ": " + why);
  if (!dump_after.empty()) {
    auto names = pass_names();
    if (std::find(names.begin(), names.end(), dump_after) == names.end())
      return error("kernel.no-pass", "there is no pass '" + dump_after + "'");
  }
  std::vector<KernelModule> modules;
  for (Kernel& k : builder->build(profile, plan, problem)) {
    std::vector<std::string> param_names, buffer_names; // the naming pass may change those of the kernel
    for (const ir::KernelParam& p : k.params) param_names.push_back(p.name);
    for (const ir::Buffer& b : k.buffers) buffer_names.push_back(b.name);
    if (!flag(plan, "contract_fma")) k.options.emplace_back("-fmad=false");
    auto after = [&](const std::string& pass) {
      ir::verify_or_throw(k, pass);
      if (dump != nullptr && pass == dump_after) *dump += ir::print_ir(k);
    };
    after("build");
    for (const Pass& p : passes()) {
      p.run(k, plan);
      after(p.name);
    }
    modules.push_back(module_of(k, profile, plan, problem, param_names, buffer_names));
  }
  return modules;
}

} // namespace aicf
