#include "synth/onnx_check.hpp"

#include "core/exec/backends.hpp"
#include "core/exec/reference.hpp"
#include "core/expr/check.hpp"
#include "core/graph/onnx_tensor.hpp"
#include "core/plan/choice.hpp"
#include "synth/variant.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace aicf {
namespace {

using Tensors = std::map<std::string, HostTensor>;

constexpr double relative = 1e-3, absolute = 1e-7; // onnx/backend/test/runner

HostTensor reshaped(HostTensor tensor, const std::vector<std::int64_t>& shape) {
  tensor.shape = shape;
  return tensor;
}

class Checking {
 public:
  Checking(const std::filesystem::path& folder, OnnxCheckOptions options, std::stop_token stop)
      : folder_(folder), options_(std::move(options)), stop_(std::move(stop)) {}

  Result<OnnxCheck> run(OnnxNode node) {
    std::vector<std::optional<HostTensor>> inputs;
    if (auto problems = read_inputs(node, inputs); !problems.empty()) return problems;
    std::vector<const HostTensor*> pointers;
    for (const auto& t : inputs) pointers.push_back(t ? &*t : nullptr);
    auto op = operator_of(node, pointers);
    if (!op) return op.failure<OnnxCheck>();
    OnnxCheck check;
    check.op = std::move(*op);
    auto definition = parse_definition(check.op.text, node.type, std::nullopt);
    if (!definition) return definition.failure<OnnxCheck>();
    auto source = std::make_shared<const Definition>(std::move(*definition));
    check.structure = std::make_shared<const StructureProfile>(analyze(canonicalize(source), 1, stop_));
    if (folder_.empty()) return check;
    Tensors given, expected;
    if (auto problems = check_shapes(node, check.op, inputs); !problems.empty()) return problems;
    for (const OnnxArgument& a : check.op.inputs) given[a.name] = reshaped(*inputs[a.position], a.shape);
    if (auto problems = read_outputs(node, check.op, expected); !problems.empty()) return problems;
    if (expected.empty()) return error("onnx.output", "no result of the node is an output of the graph");
    auto reference = evaluate(*source, {given, {}}, {53, stop_});
    if (!reference) return reference.failure<OnnxCheck>();
    check.comparisons.push_back(compared("reference", "", *reference, expected));
    if (options_.backend == "reference") return check;
    return kernels(std::move(check), given, expected);
  }

 private:
  const std::filesystem::path& folder_;
  OnnxCheckOptions options_;
  std::stop_token stop_;

  /// A file of the data set. Integer types that we lack come widened.
  static Result<OnnxTensor> read(const OnnxNode& node, const std::string& name, const std::filesystem::path& file) {
    auto tensor = read_widened_onnx_tensor(file);
    bool bits = tensor && tensor->widened_bits == 16 && std::ranges::count(node.bf16, name) > 0;
    if (!bits) return tensor;
    HostTensor of_bits(DType::bf16, tensor->tensor.shape);
    for (std::size_t i = 0; i < of_bits.element_count(); ++i) {
      auto pattern = static_cast<std::uint16_t>(tensor->tensor.get(i));
      std::memcpy(of_bits.bytes.data() + 2 * i, &pattern, 2);
    }
    return OnnxTensor{tensor->name, std::move(of_bits), 0, false};
  }

  /// Its values are parameters of the operator: the axes of a reduction.
  static bool is_parameter(const OnnxNode& node, std::size_t position) {
    return position == 1 && node.type.starts_with("Reduce");
  }

  /// By the name of the graph's input, which numbers the files; initializers are in the model.
  std::vector<Diagnostic> read_inputs(OnnxNode& node, std::vector<std::optional<HostTensor>>& out) const {
    for (const std::string& name : node.inputs) {
      out.emplace_back();
      if (name.empty()) continue;
      for (const auto& [known, tensor] : node.initializers)
        if (known == name) out.back() = tensor;
      auto at = std::find(node.graph_inputs.begin(), node.graph_inputs.end(), name);
      if (at == node.graph_inputs.end()) continue;
      if (folder_.empty()) {
        for (const auto& [known, tensor] : node.declared)
          if (known == name && !out.back()) out.back() = tensor;
        if (!out.back())
          return {error("onnx.input", "the input " + name + " has no static shape of an element type that we have; " +
                                          "a data set (--check) gives one")};
        if (is_parameter(node, out.size() - 1))
          return {error("onnx.input",
                        "the input " + name + " decides what the operator is; a data set (--check) gives it")};
        continue;
      }
      auto file = folder_ / ("input_" + std::to_string(at - node.graph_inputs.begin()) + ".pb");
      auto tensor = read(node, name, file);
      if (!tensor) return tensor.diagnostics;
      if (tensor->widened_unsigned && tensor->widened_bits < 64 && out.size() == 1)
        node.wrap_bits = tensor->widened_bits;
      out.back() = std::move(tensor->tensor);
    }
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!out[i] && !node.inputs[i].empty())
        return {
            error("onnx.input", "the input " + node.inputs[i] + " is neither in the model nor an input of its graph")};
    return {};
  }

  /// Data of another shape than the model says is data of another model. An input that is no argument (what CastLike
  /// looks at for its type) may have any.
  static std::vector<Diagnostic> check_shapes(const OnnxNode& node, const OnnxOperator& op,
                                              const std::vector<std::optional<HostTensor>>& inputs) {
    std::vector<Diagnostic> problems;
    for (const OnnxArgument& a : op.inputs)
      for (const auto& [name, model] : node.declared)
        if (name == node.inputs.at(a.position) && model.shape != inputs[a.position]->shape)
          problems.push_back(error("onnx.shape", "the model's input " + name + " is " + shape_text(model.shape) +
                                                     ", and the data set's is " +
                                                     shape_text(inputs[a.position]->shape)));
    return problems;
  }

  std::vector<Diagnostic> read_outputs(const OnnxNode& node, const OnnxOperator& op, Tensors& expected) const {
    for (const OnnxArgument& a : op.outputs) {
      const std::string& name = node.outputs.at(a.position);
      auto at = std::find(node.graph_outputs.begin(), node.graph_outputs.end(), name);
      if (at == node.graph_outputs.end()) continue;
      auto file = folder_ / ("output_" + std::to_string(at - node.graph_outputs.begin()) + ".pb");
      auto tensor = read(node, name, file);
      if (!tensor) return tensor.diagnostics;
      if (tensor->tensor.shape != a.onnx_shape)
        return {error("onnx.shape", "the result " + name + " has another shape than the operator gives",
                      {file.string(), 0, 0, 0})};
      expected[a.name] = reshaped(std::move(tensor->tensor), a.shape);
    }
    return {};
  }

  static OnnxComparison compared(std::string of, std::string how, const Tensors& actual, const Tensors& expected) {
    OnnxComparison c{std::move(of), std::move(how), true, 0, ""};
    for (const auto& [name, want] : expected) {
      auto found = actual.find(name);
      if (found == actual.end() || found->second.element_count() != want.element_count()) {
        c.passed = false, c.detail = name + " is not given";
        continue;
      }
      HostTensor got = found->second.converted(want.dtype);
      bool real = is_float(want.dtype);
      for (std::size_t i = 0; i < want.element_count(); ++i) {
        double a = got.get(i), e = want.get(i);
        bool same = (std::isnan(a) && std::isnan(e)) || a == e;
        if (!same && real && std::isfinite(a) && std::isfinite(e)) {
          if (e != 0) c.max_rel_err = std::max(c.max_rel_err, std::fabs(a - e) / std::fabs(e));
          double narrow = want.dtype == DType::bf16 ? 0x1p-7 : want.dtype == DType::f16 ? 0x1p-10 : 0; // one ulp
          same = std::fabs(a - e) <= absolute + std::max(relative, narrow) * std::fabs(e);
        }
        if (same) continue;
        if (c.passed) {
          char text[160];
          std::snprintf(text, sizeof text, "%s[%zu] is %.9g, expected %.9g", name.c_str(), i, a, e);
          c.detail = text;
        }
        c.passed = false;
      }
    }
    return c;
  }

  Result<OnnxCheck> kernels(OnnxCheck check, const Tensors& given, const Tensors& expected) {
    const StructureProfile& structure = *check.structure;
    const Definition& d = *structure.canonical->source;
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (const auto& [name, tensor] : given) shapes[name] = tensor.shape;
    auto dims = bind_dims(d, shapes);
    if (!dims) return dims.failure<OnnxCheck>();
    CompilerProfile rules;
    Problem problem{*dims, {}, check.op.float_type, "sm_90"};
    PlanSpace space = plan(structure, judge(structure, rules), rules, problem);
    auto backend = make_backend(options_.backend);
    if (!backend) return backend.failure<OnnxCheck>();
    std::set<std::string> forms;
    for (const Plan& plan : space.plans) {
      if (forms.size() >= options_.variants || stop_.stop_requested()) break;
      std::string how = plan.family + " " + word(plan, "state_form");
      if (!forms.insert(how).second) continue;
      auto variant = build_variant(structure, plan, problem);
      if (variant.missing) return variant.failure<OnnxCheck>();
      OnnxComparison c{variant_id(structure, plan, problem), how, false, 0, ""};
      if (!variant) {
        c.detail = variant.diagnostics.empty() ? "does not compile" : variant.diagnostics.front().message;
      } else {
        RunResult result;
        auto outputs = run_variant(structure, *variant, problem, given, **backend, {}, &result, stop_);
        if (outputs.missing) return outputs.failure<OnnxCheck>();
        if (!result.faults.empty())
          c.detail = result.faults.front().message;
        else if (!outputs)
          c.detail = outputs.diagnostics.front().message;
        else
          c = compared(c.of, how, *outputs, expected);
      }
      check.comparisons.push_back(std::move(c));
    }
    if (forms.empty() && !stop_.stop_requested()) {
      std::string why = "no kernel";
      for (const auto& [reason, count] : space.refused) why += "; " + reason;
      check.comparisons.push_back({"kernels", "", false, 0, why});
    }
    return check;
  }
};

} // namespace

bool OnnxCheck::passed() const {
  return std::all_of(comparisons.begin(), comparisons.end(), [](const OnnxComparison& c) { return c.passed; });
}

Result<OnnxCheck> check_onnx(const std::filesystem::path& model, const std::filesystem::path& folder,
                             const OnnxCheckOptions& options, std::stop_token stop) {
  auto node = read_onnx_node(model);
  if (!node) return node.failure<OnnxCheck>();
  return Checking(folder, options, std::move(stop)).run(std::move(*node));
}

nlohmann::json to_json(const OnnxCheck& check) {
  nlohmann::json comparisons = nlohmann::json::array();
  for (const OnnxComparison& c : check.comparisons)
    comparisons.push_back(
        {{"of", c.of}, {"how", c.how}, {"passed", c.passed}, {"max_rel_err", c.max_rel_err}, {"detail", c.detail}});
  return {{"schema", "aicf.onnx/1"},
          {"operator", check.op.type},
          {"text", check.op.text},
          {"structure_hash", to_hex(check.structure->canonical->structure_hash)},
          {"structures", check.structure->structures},
          {"comparisons", comparisons},
          {"passed", check.passed()}};
}

} // namespace aicf
