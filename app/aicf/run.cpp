// aicf run: an operator on the user's own data, by the reference, the emulator or a device.
#include "app/aicf/command.hpp"
#include "app/aicf/store.hpp"
#include "core/base/npy.hpp"
#include "core/exec/backends.hpp"
#include "core/exec/reference.hpp"
#include "core/graph/onnx_tensor.hpp"
#include "synth/variant.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

namespace aicf::cli {
namespace {

struct Options {
  std::string op, name, dtype = "f32", backend = "reference", variant, profile, target = "sm_90";
  std::vector<std::string> in, out, settings;
  int precision = 53;
};

using Tensors = std::map<std::string, HostTensor>;

/// "x=a.npy"
bool assignment(const std::string& text, std::string& name, std::string& file) {
  std::size_t equals = text.find('=');
  name = text.substr(0, equals);
  file = equals == std::string::npos ? std::string() : text.substr(equals + 1);
  return !name.empty() && !file.empty();
}

Result<HostTensor> read_tensor(const std::string& file) {
  if (!file.ends_with(".pb")) return read_npy(file);
  auto tensor = read_onnx_tensor(file);
  return tensor ? Result<HostTensor>(std::move(tensor->tensor)) : tensor.failure<HostTensor>();
}

/// `.npy` has no bf16: f32 holds each of its values.
std::vector<Diagnostic> write_tensor(const std::string& file, const std::string& name, const HostTensor& tensor) {
  if (file.ends_with(".pb")) return write_onnx_tensor(file, name, tensor);
  return write_npy(file, tensor.dtype == DType::bf16 ? tensor.converted(DType::f32) : tensor);
}

Result<Tensors> read_inputs(const Options& o, const Definition& d, DType float_type) {
  Result<Tensors> result;
  Tensors tensors;
  for (const std::string& text : o.in) {
    std::string name, file;
    if (!assignment(text, name, file)) {
      result.diagnostics.push_back(error("run.in", "--in: \"" + text + "\" is not NAME=FILE"));
      continue;
    }
    auto decl = std::find_if(d.tensors.begin(), d.tensors.begin() + static_cast<std::ptrdiff_t>(d.inputs),
                             [&](const TensorDecl& t) { return t.name == name; });
    if (decl == d.tensors.begin() + static_cast<std::ptrdiff_t>(d.inputs)) {
      std::string names;
      for (std::size_t t = 0; t < d.inputs; ++t) names += (t > 0 ? ", " : "") + d.tensors[t].name;
      result.diagnostics.push_back(
          error("run.in", "--in: " + d.name + " has no input " + name + "; its inputs are " + names));
      continue;
    }
    auto tensor = read_tensor(file);
    result.diagnostics.insert(result.diagnostics.end(), tensor.diagnostics.begin(), tensor.diagnostics.end());
    if (!tensor) continue;
    DType type = decl->type.bind(float_type);
    if (is_float(tensor->dtype) != is_float(type))
      result.diagnostics.push_back(error("run.type",
                                         "input " + name + " takes " + std::string(name_of(type)) +
                                             ", the file holds " + std::string(name_of(tensor->dtype)),
                                         {file, 0, 0, 0}));
    else if (!tensors.emplace(name, tensor->dtype == type ? std::move(*tensor) : tensor->converted(type)).second)
      result.diagnostics.push_back(error("run.in", "--in: " + name + " is given twice"));
  }
  for (std::size_t t = 0; t < d.inputs && result.diagnostics.empty(); ++t)
    if (!tensors.contains(d.tensors[t].name))
      result.diagnostics.push_back(error("run.in", "no --in for the input " + d.tensors[t].name));
  if (!has_errors(result.diagnostics)) result.value = std::move(tensors);
  return result;
}

/// The kept variant that was asked for, or the first legal plan under the profile.
Result<Plan> choose_plan(const Options& o, const StructureProfile& structure, const CompilerProfile& rules,
                         const Problem& problem) {
  if (!o.variant.empty()) return kept_plan(o.variant, structure);
  PlanSpace space = plan(structure, judge(structure, rules), rules, problem);
  if (!space.plans.empty()) return space.plans.front();
  Result<Plan> none;
  for (const auto& [reason, count] : space.refused)
    none.diagnostics.push_back(
        error("run.refused", reason + (count > 1 ? " (" + std::to_string(count) + " plans)" : "")));
  if (none.diagnostics.empty()) none.diagnostics.push_back(error("run.refused", "no family realizes this operator"));
  return none;
}

Result<Tensors> run_kernels(const Options& o, const std::shared_ptr<const StructureProfile>& structure,
                            const Tensors& inputs, const std::map<std::string, double>& scalars, std::stop_token stop,
                            int& status) {
  const Definition& d = *structure->canonical->source;
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto& [name, tensor] : inputs) shapes[name] = tensor.shape;
  auto dims = bind_dims(d, shapes, scalars);
  if (!dims) return dims.failure<Tensors>();
  auto rules = find_profile(o.profile);
  if (!rules) return rules.failure<Tensors>();
  Problem problem{*dims, scalars, *dtype_from(o.dtype), o.target};
  auto chosen = choose_plan(o, *structure, *rules, problem);
  if (!chosen) {
    if (!chosen.diagnostics.empty() && chosen.diagnostics.front().code == "run.refused") status = negative;
    return chosen.failure<Tensors>();
  }
  for (const Family& family : families())
    if (family.id == chosen->family)
      if (std::string why = family.refusal(*structure, problem, *rules, *chosen); !why.empty()) {
        status = negative;
        return error("run.refused", "this plan does not serve these sizes: " + why);
      }
  auto variant = build_variant(*structure, *chosen, problem);
  if (!variant) return variant.failure<Tensors>();
  auto backend = make_backend(o.backend);
  if (!backend) return backend.failure<Tensors>();
  RunResult how;
  auto outputs = run_variant(*structure, *variant, problem, inputs, **backend, {}, &how, std::move(stop));
  if (outputs && how.status != RunResult::Status::ok) {
    status = negative;
    Result<Tensors> faulted;
    for (const Fault& f : how.faults)
      faulted.diagnostics.push_back(error("run.fault", f.kind + " in " + f.kernel + ": " + f.message));
    if (faulted.diagnostics.empty()) faulted.diagnostics.push_back(error("run.cancelled", "cancelled"));
    return faulted;
  }
  return outputs;
}

/// Without --op: the last operator of the file that takes tensors of the ranks at hand; the last one if none does.
std::string fitting_operator(const Options& o) {
  if (!o.name.empty()) return o.name;
  auto last = find_operator(o.op, "");
  if (!last) return "";
  std::map<std::string, std::size_t> ranks;
  for (const std::string& text : o.in) {
    std::string name, file;
    if (!assignment(text, name, file)) return "";
    auto tensor = read_tensor(file);
    if (!tensor) return "";
    ranks[name] = tensor->shape.size();
  }
  auto fits = [&](const Definition& d) {
    return ranks.size() == d.inputs &&
           std::all_of(d.tensors.begin(), d.tensors.begin() + static_cast<std::ptrdiff_t>(d.inputs),
                       [&](const TensorDecl& t) {
                         auto rank = ranks.find(t.name);
                         return rank != ranks.end() && rank->second == t.shape.size();
                       });
  };
  if (fits(*last)) return last->name;
  std::string found = last->name;
  std::istringstream lines(last->text);
  for (std::string line, word, name; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('(')));
    if (!(words >> word >> name) || word != "op") continue;
    if (auto other = find_operator(o.op, name); other && fits(*other)) found = name;
  }
  if (found != last->name) std::cerr << "using " << found << ", which takes tensors of these ranks\n";
  return found;
}

int run_command(const Options& o, std::stop_token stop) {
  int status = done;
  auto structure = analysed(o.op, fitting_operator(o), status);
  if (!structure) return status;
  const Definition& d = *structure->canonical->source;
  DType float_type = *dtype_from(o.dtype);
  auto scalars = parse_scalars(o.settings, d);
  if (!scalars) return report(scalars);
  auto inputs = read_inputs(o, d, float_type);
  if (!inputs) return report(inputs);
  std::map<std::string, std::string> files;
  for (const std::string& text : o.out) {
    std::string name, file;
    if (!assignment(text, name, file)) return complain("--out: \"" + text + "\" is not NAME=FILE");
    bool known = std::any_of(d.outputs.begin(), d.outputs.end(), [&](TensorId t) { return d.tensors[t].name == name; });
    if (!known) return complain("--out: " + d.name + " has no result " + name);
    if (!file.ends_with(".npy") && !file.ends_with(".pb"))
      return complain("--out: " + file + " is neither .npy nor .pb");
    if (!files.emplace(name, file).second) return complain("--out: " + name + " is given twice");
  }
  if (o.backend == "reference" && !o.variant.empty())
    return complain("--variant names a kernel: choose --backend emulator or cuda");
  status = bad_input;
  auto results = o.backend == "reference" ? evaluate(d, {*inputs, *scalars}, {o.precision, stop})
                                          : run_kernels(o, structure, *inputs, *scalars, stop, status);
  if (!results) {
    int reported = report(results, d.text);
    return reported == lacking ? lacking : status;
  }
  for (TensorId t : d.outputs) {
    const TensorDecl& decl = d.tensors[t];
    auto file = files.find(decl.name);
    HostTensor tensor = results->at(decl.name).converted(decl.type.bind(float_type));
    if (file != files.end()) {
      if (int failed = report(write_tensor(file->second, decl.name, tensor), std::nullopt); failed != done)
        return failed;
      std::cerr << decl.name << " -> " << file->second << "\n";
    } else { // a glance at it
      std::cout << decl.name << " " << name_of(tensor.dtype) << nlohmann::json(tensor.shape).dump() << " =";
      std::size_t shown = std::min<std::size_t>(tensor.element_count(), 8);
      for (std::size_t i = 0; i < shown; ++i) std::cout << " " << tensor.get(i);
      std::cout << (shown < tensor.element_count() ? " …\n" : "\n");
    }
  }
  return done;
}

const RegisterCommand run{
    {"run", "run an operator on .npy or ONNX .pb tensors", [](CLI::App& app) {
       auto o = std::make_shared<Options>();
       app.add_option("operator", o->op, "a .op file, or the name of an operator of the atlas")->required();
       app.add_option("--op", o->name, "which operator of a file with several");
       app.add_option("--in", o->in, "an input: x=a.npy or x=input_0.pb")->required();
       app.add_option("--out", o->out,
                      "where a result goes: y=b.npy or y=b.pb; without, its first elements are printed");
       app.add_option("--dtype", o->dtype, "what `float` is")->check(CLI::IsMember({"f32", "f16", "bf16", "f64"}));
       app.add_option("--set", o->settings, "a scalar: eps=1e-6");
       app.add_option("--backend", o->backend, "reference, emulator or cuda")
           ->check(CLI::IsMember({"reference", "emulator", "cuda"}));
       app.add_option("--precision", o->precision, "bits of the reference: 53 is f64, more is MPFR")
           ->check(CLI::Range(53, 100000));
       app.add_option("--variant", o->variant, "id of a variant that `aicf synth` kept");
       app.add_option("--profile", o->profile, "compiler profile that chooses the kernel");
       app.add_option("--target", o->target, "architecture, sm_90 unless said");
       return [o](std::stop_token stop) { return run_command(*o, std::move(stop)); };
     }}};

} // namespace
} // namespace aicf::cli
