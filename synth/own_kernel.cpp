#include "synth/own_kernel.hpp"

#include "core/exec/nvrtc.hpp"
#include "core/exec/reference.hpp"
#include "core/kernel/dim_expr.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace aicf {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// At commas outside parentheses, blanks around trimmed.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      words.insert(word);
      word.clear();
    }
  }
  return words;
}

std::string describe(const KernelParameter& p) {
  return "parameter '" + (p.type + (p.pointer ? "* " : " ")) + p.name + "'";
}

bool whole_number(const KernelParameter& p) { return !p.pointer && p.dtype && !is_float(*p.dtype); }

constexpr int fill_threads = 256;

/// Sets a result to zero, as the caller of such a kernel does.
KernelModule fill_module(const std::string& result, const std::string& arch) {
  KernelModule m;
  m.entry = "fill_" + result;
  m.arch = arch;
  m.cuda_source = "extern \"C\" __global__ void " + m.entry +
                  "(unsigned char* to, long long bytes) {\n"
                  "  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
                  "  if (i < bytes) to[i] = 0;\n}\n";
  return m;
}

DimExpr exactly(std::int64_t n) { return {std::to_string(n)}; }

std::vector<DimExpr> exactly(const std::vector<std::int64_t>& extents) {
  std::vector<DimExpr> out;
  for (std::int64_t n : extents) out.push_back(exactly(n));
  return out;
}

} // namespace

Result<std::map<std::string, std::int64_t>> OwnKernel::names_of(const Problem& problem) const {
  std::map<std::string, std::int64_t> names = problem.dims;
  for (const ScalarDecl& s : request.structure->canonical->source->scalars) {
    if (s.type.generic || is_float(s.type.fixed)) continue;
    auto set = problem.scalars.find(s.name);
    names[s.name] = static_cast<std::int64_t>(set == problem.scalars.end() ? s.value : set->second);
  }
  return names;
}

Result<Launch> OwnKernel::launch_at(const Problem& problem) const {
  auto names = names_of(problem);
  Result<Launch> result;
  Launch launch;
  auto read = [&](const std::string& text, const char* option, std::array<DimExpr, 3>& out) {
    std::vector<std::string> parts = split(text);
    if (parts.size() > 3)
      result.diagnostics.push_back(error("check.launch", "three extents at most", {option, 1, 1, 0}));
    std::size_t column = 0;
    for (std::size_t k = 0; k < std::min<std::size_t>(parts.size(), 3); ++k) {
      auto value = evaluate(DimExpr{parts[k]}, *names);
      for (Diagnostic& d : value.diagnostics) {
        d.at.file = option;
        d.at.column += static_cast<int>(column);
        result.diagnostics.push_back(std::move(d));
      }
      if (value) out.at(k) = exactly(*value);
      column += parts[k].size() + 1;
    }
  };
  read(request.grid, "--grid", launch.grid);
  read(request.block, "--block", launch.block);
  read(request.cluster, "--cluster", launch.cluster);
  std::array<DimExpr, 3> shared{exactly(0), exactly(0), exactly(0)};
  read(request.shared, "--shared", shared);
  launch.dynamic_shared = shared[0];
  if (!has_errors(result.diagnostics)) result.value = launch;
  return result;
}

std::vector<Diagnostic> OwnKernel::map_parameters(const KernelSignature& signature) {
  const Definition& d = *request.structure->canonical->source;
  const DType type = request.problem.float_type;
  std::vector<Diagnostic> problems;
  std::set<std::string> taken;
  auto tensor = [&](const std::string& name) -> const TensorDecl* {
    for (std::size_t t = 0; t < d.tensors.size(); ++t)
      if (d.tensors[t].name == name && (t < d.inputs || std::ranges::count(d.outputs, static_cast<TensorId>(t)) > 0))
        return &d.tensors[t];
    return nullptr;
  };
  auto is_input = [&](const TensorDecl* t) { return t - d.tensors.data() < static_cast<std::ptrdiff_t>(d.inputs); };
  auto scalar = [&](const std::string& name) {
    return std::ranges::any_of(d.scalars, [&](const ScalarDecl& s) { return s.name == name; });
  };
  auto fits = [&](const KernelParameter& p, const TensorDecl& t) {
    return p.pointer && (!p.dtype || *p.dtype == t.type.bind(type)) && (!is_input(&t) ? !p.constant : true);
  };
  auto take = [&](MappedParameter& m, const std::string& name, const char* how) {
    m.stands_for = name;
    m.how = how;
    taken.insert(name);
    const TensorDecl* t = tensor(name);
    m.role = t == nullptr ? Arg::Role::scalar : is_input(t) ? Arg::Role::input : Arg::Role::output;
    if (t != nullptr && std::ranges::count(request.zeroed, name) > 0) m.role = Arg::Role::inout;
  };
  auto refuse = [&](const KernelParameter& p, const std::string& why, const std::string& hint = {}) {
    problems.push_back(error("check.argument", describe(p) + " " + why, p.at, hint));
  };
  auto wrong_type = [&](const KernelParameter& p, const TensorDecl& t) {
    if (!p.pointer)
      refuse(p, "is no pointer, and " + t.name + " is a tensor");
    else if (p.constant && !is_input(&t))
      refuse(p, "is a pointer to const, and " + t.name + " is a result");
    else
      refuse(p, "holds " + p.type + ", and " + t.name + " is " + std::string(name_of(t.type.bind(type))),
             t.type.generic ? "--dtype says what `float` is" : "");
  };

  for (const KernelParameter& p : signature.parameters) mapped.push_back({p, {}, {}, Arg::Role::scalar});
  if (!request.arguments.empty()) {
    if (request.arguments.size() != mapped.size())
      return {error("check.argument",
                    "--args names " + std::to_string(request.arguments.size()) + " arguments, '" + request.entry +
                        "' takes " + std::to_string(mapped.size()),
                    signature.at)};
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      const KernelParameter& p = mapped[i].parameter;
      const std::string& text = request.arguments[i];
      if (const TensorDecl* t = tensor(text)) {
        if (!fits(p, *t)) wrong_type(p, *t);
        take(mapped[i], text, "--args");
      } else if (text.starts_with("workspace(") && text.ends_with(")")) {
        if (!p.pointer) refuse(p, "is no pointer, and workspace is memory");
        take(mapped[i], text, "--args");
        mapped[i].role = Arg::Role::workspace;
      } else if (p.pointer) {
        refuse(p, "is a pointer, and " + text + " is no input, result or workspace(ELEMENTS)");
      } else {
        auto names = names_of(request.problem);
        if (!scalar(text))
          if (auto value = evaluate(DimExpr{text}, *names); !value) {
            refuse(p, "is given " + text + ": " + value.diagnostics.front().message);
            continue;
          }
        take(mapped[i], text, "--args");
      }
    }
  } else {
    auto named = [&](bool exact) {
      for (MappedParameter& m : mapped) {
        if (!m.stands_for.empty()) continue;
        const KernelParameter& p = m.parameter;
        auto same = [&](const std::string& name) {
          return !taken.contains(name) && (exact ? name == p.name : lower(name) == lower(p.name));
        };
        for (std::size_t t = 0; t < d.tensors.size(); ++t)
          if (const TensorDecl* decl = tensor(d.tensors[t].name); decl == &d.tensors[t] && same(decl->name)) {
            if (fits(p, *decl))
              take(m, decl->name, "name");
            else if (p.pointer && exact)
              wrong_type(p, *decl), take(m, decl->name, "name");
          }
        for (const ScalarDecl& s : d.scalars)
          if (m.stands_for.empty() && !p.pointer && same(s.name)) take(m, s.name, "name");
        for (const std::string& size : d.dims)
          if (m.stands_for.empty() && whole_number(p) && same(size)) take(m, size, "name");
      }
    };
    named(true);
    named(false);
    // What is left goes by type where only one assignment in the order of both signatures is possible.
    auto pair_up = [&](auto wants, const std::vector<std::string>& names, auto fitting) {
      std::vector<MappedParameter*> open;
      std::vector<std::string> left;
      for (MappedParameter& m : mapped)
        if (m.stands_for.empty() && wants(m.parameter)) open.push_back(&m);
      for (const std::string& name : names)
        if (!taken.contains(name)) left.push_back(name);
      bool all = open.size() == left.size();
      for (std::size_t i = 0; all && i < open.size(); ++i) all = fitting(open[i]->parameter, left[i]);
      for (std::size_t i = 0; all && i < open.size(); ++i) take(*open[i], left[i], "type");
    };
    std::vector<std::string> inputs, results;
    for (std::size_t t = 0; t < d.inputs; ++t) inputs.push_back(d.tensors[t].name);
    for (TensorId t : d.outputs) results.push_back(d.tensors[t].name);
    auto fitting = [&](const KernelParameter& p, const std::string& name) { return fits(p, *tensor(name)); };
    pair_up([](const KernelParameter& p) { return p.pointer && p.constant; }, inputs, fitting);
    pair_up([](const KernelParameter& p) { return p.pointer && !p.constant; }, results, fitting);
    std::vector<std::string> both = inputs;
    both.insert(both.end(), results.begin(), results.end());
    pair_up([](const KernelParameter& p) { return p.pointer; }, both, fitting);
    std::vector<std::string> sizes, reals;
    for (const std::string& size : d.dims) sizes.push_back(size);
    for (const ScalarDecl& s : d.scalars) reals.push_back(s.name);
    auto only = [](const auto& names, const std::set<std::string>& gone) {
      return std::ranges::count_if(names, [&](const std::string& n) { return !gone.contains(n); }) == 1;
    };
    if (only(sizes, taken)) pair_up(whole_number, sizes, [](const auto&, const auto&) { return true; });
    if (only(reals, taken))
      pair_up([](const KernelParameter& p) { return !p.pointer && !whole_number(p); }, reals,
              [](const auto&, const auto&) { return true; });
    for (const MappedParameter& m : mapped) {
      if (!m.stands_for.empty()) continue;
      std::string left;
      auto list = [&](const std::vector<std::string>& names) {
        for (const std::string& n : names)
          if (!taken.contains(n)) left += (left.empty() ? "" : ", ") + n;
      };
      list(m.parameter.pointer ? both : sizes);
      if (!m.parameter.pointer) list(reals);
      refuse(m.parameter,
             "stands for nothing that its name or type would tell" + (left.empty() ? "" : "; still open: " + left),
             "name all in order: --args x,y,M,N; a size may be an expression (M*N), further memory workspace(M*4)");
    }
  }
  for (TensorId t : d.outputs)
    if (problems.empty() && !taken.contains(d.tensors[t].name))
      problems.push_back(error("check.argument", "no parameter stands for the result " + d.tensors[t].name,
                               signature.at, "--args names them in order"));
  for (const std::string& name : request.zeroed)
    if (const TensorDecl* t = tensor(name); t == nullptr || is_input(t))
      problems.push_back(error("check.zero", "--zero: " + name + " is no result of " + d.name));
  return problems;
}

Result<OwnKernel> OwnKernel::bring(const OwnKernelRequest& asked) {
  auto signature = kernel_signature(asked.source, asked.entry, asked.file);
  if (!signature) return signature.failure<OwnKernel>();
  OwnKernel kernel;
  kernel.request = asked;
  kernel.compiled_source = with_plain_name(asked.source, *signature);
  auto problems = kernel.map_parameters(*signature);
  auto launch = kernel.launch_at(asked.problem);
  problems.insert(problems.end(), launch.diagnostics.begin(), launch.diagnostics.end());
  if (has_errors(problems)) return problems;

  std::set<std::string> used;
  auto uses = [&](const std::string& text) { used.merge(words_of(text)); };
  for (const MappedParameter& m : kernel.mapped)
    if (m.role == Arg::Role::scalar) uses(m.stands_for);
  for (const std::string* text : {&asked.grid, &asked.block, &asked.cluster, &asked.shared}) uses(*text);
  for (const std::string& size : asked.structure->canonical->source->dims)
    if (!used.contains(size)) kernel.fixed.push_back(size);

  KernelModule module;
  module.entry = asked.entry;
  module.cuda_source = kernel.compiled_source;
  module.arch = asked.problem.target;
  module.options = asked.options;
  auto compiled = compile(module);
  for (Diagnostic& d : compiled.diagnostics) d.at.file = asked.file;
  if (!compiled) return compiled.failure<OwnKernel>();
  kernel.made = std::move(*compiled);
  for (const std::string& name : asked.zeroed) {
    auto fill = compile(fill_module(name, asked.problem.target));
    if (!fill) return fill.failure<OwnKernel>();
    kernel.fills[name] = std::move(*fill);
  }
  Result<OwnKernel> result(std::move(kernel));
  result.diagnostics = std::move(compiled.diagnostics);
  return result;
}

Result<Variant> OwnKernel::at(const Problem& problem) const {
  auto refused = [](const std::string& why) { return error("check.size", why); };
  for (const std::string& size : fixed)
    if (problem.dims.at(size) != request.problem.dims.at(size))
      return refused("neither a parameter nor the launch depends on " + size);
  for (const auto& [size, multiple] : request.multiples)
    if (auto extent = problem.dims.find(size); extent != problem.dims.end() && extent->second % multiple != 0)
      return refused(size + " is no multiple of " + std::to_string(multiple));
  auto launch = launch_at(problem);
  if (!launch) return launch.failure<Variant>();
  auto beyond = [&](const std::array<DimExpr, 3>& extents, std::array<std::int64_t, 3> most) {
    for (std::size_t k = 0; k < 3; ++k)
      if (std::int64_t n = std::stoll(extents.at(k).text); n < 1 || n > most.at(k)) return true;
    return false;
  };
  if (beyond(launch->grid, {2147483647, 65535, 65535}) || beyond(launch->block, {1024, 1024, 64}))
    return refused("CUDA does not launch such a grid or block");
  return assembled(problem, *launch);
}

Result<Variant> OwnKernel::assembled(const Problem& problem, const Launch& launch) const {
  const Definition& d = *request.structure->canonical->source;
  auto shapes = shapes_for(d, problem.dims, problem.scalars);
  auto names = names_of(problem);
  if (!shapes) return shapes.failure<Variant>();
  Variant variant;
  variant.plan.family = "own_kernel";
  variant.plan.definition = request.structure->canonical->structure_hash;
  variant.plan.choices = {{"entry", request.entry},
                          {"grid", request.grid},
                          {"block", request.block},
                          {"source", short_hex(sha256(request.source))}};
  if (request.cluster != "1") variant.plan.choices["cluster"] = request.cluster;
  if (request.shared != "0") variant.plan.choices["shared"] = request.shared;
  for (const auto& [function, how] : request.approximate) variant.plan.choices[function] = how;

  KernelModule module;
  module.entry = request.entry;
  module.cuda_source = compiled_source;
  module.arch = request.problem.target;
  module.options = request.options;
  module.launch = launch;
  std::string given;
  for (const MappedParameter& m : mapped) {
    Arg arg;
    arg.name = m.stands_for;
    arg.role = m.role;
    given += (given.empty() ? "" : ",") + m.stands_for;
    auto decl = std::ranges::find_if(d.tensors, [&](const TensorDecl& t) { return t.name == m.stands_for; });
    if (m.role == Arg::Role::workspace) {
      auto elements = evaluate(DimExpr{m.stands_for.substr(9)}, *names);
      if (!elements) return elements.failure<Variant>();
      arg.dtype = m.parameter.dtype.value_or(DType::i8);
      arg.shape = {exactly(*elements)};
      arg.name = m.parameter.name;
    } else if (m.role == Arg::Role::scalar) {
      arg.dtype = m.parameter.dtype.value_or(DType::i32);
    } else {
      arg.dtype = decl->type.bind(problem.float_type);
      arg.shape = exactly(shapes->at(decl->name));
    }
    module.args.push_back(std::move(arg));
  }
  variant.plan.choices["arguments"] = given;

  for (const std::string& name : request.zeroed) {
    auto decl = std::ranges::find_if(d.tensors, [&](const TensorDecl& t) { return t.name == name; });
    Arg to;
    to.name = name;
    to.role = Arg::Role::output;
    to.dtype = decl->type.bind(problem.float_type);
    to.shape = exactly(shapes->at(name));
    const auto bytes = static_cast<std::int64_t>(element_count(shapes->at(name)) * size_of(to.dtype));
    if (bytes == 0) continue;
    KernelModule fill = fill_module(name, request.problem.target);
    Arg size;
    size.name = std::to_string(bytes);
    size.role = Arg::Role::scalar;
    size.dtype = DType::i64;
    fill.args = {to, size};
    fill.launch.block[0] = exactly(fill_threads);
    fill.launch.grid[0] = exactly((bytes + fill_threads - 1) / fill_threads);
    variant.modules.push_back(std::move(fill));
    variant.compiled.push_back(fills.at(name));
  }
  variant.modules.push_back(std::move(module));
  variant.compiled.push_back(made);
  return variant;
}

} // namespace aicf
