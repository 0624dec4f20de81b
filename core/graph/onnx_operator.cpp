#include "core/graph/onnx_operator.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace aicf {
namespace {

using Shape = std::vector<std::int64_t>;

std::string number(double v) {
  if (std::isinf(v)) return v > 0 ? "inf" : "(-inf)";
  if (std::isnan(v)) return "nan";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  return v < 0 ? std::string("(") + text + ")" : text;
}

/// Formulas of one argument x; $name stands for an attribute, with its default after a colon.
const std::map<std::string, const char*>& unary() {
  static const std::map<std::string, const char*> all{
      {"Abs", "abs(x)"},
      {"Neg", "-x"},
      {"Exp", "exp(x)"},
      {"Log", "log(x)"},
      {"Sqrt", "sqrt(x)"},
      {"Reciprocal", "1 / x"},
      {"Floor", "floor(x)"},
      {"Ceil", "ceil(x)"},
      {"Round", "round(x)"},
      {"Erf", "erf(x)"},
      {"Atan", "atan(x)"},
      {"Asin", "atan(x / sqrt((1 - x) * (1 + x)))"},
      {"Acos", "2 * atan(sqrt((1 - x) / (1 + x)))"},
      {"Sign", "sign(x)"},
      {"Sin", "sin(x)"},
      {"Cos", "cos(x)"},
      {"Tan", "sin(x) / cos(x)"},
      {"Tanh", "tanh(x)"},
      {"Sinh", "(exp(x) - exp(-x)) / 2"},
      {"Cosh", "(exp(x) + exp(-x)) / 2"},
      {"Asinh", "sign(x) * log1p(abs(x) + x^2 / (1 + sqrt(x^2 + 1)))"},
      {"Acosh", "log(x + sqrt(x^2 - 1))"},
      {"Atanh", "0.5 * (log1p(x) - log1p(-x))"},
      {"Sigmoid", "sigmoid(x)"},
      {"Relu", "max(x, 0)"},
      {"LeakyRelu", "where(x < 0, $alpha:0.01 * x, x)"},
      {"Elu", "where(x < 0, $alpha:1 * expm1(x), x)"},
      {"Selu", "$gamma:1.05070102214813232421875 * where(x > 0, x, $alpha:1.67326319217681884765625 * expm1(x))"},
      {"Celu", "max(0, x) + min(0, $alpha:1 * expm1(x / $alpha:1))"},
      {"ThresholdedRelu", "where(x > $alpha:1, x, 0)"},
      {"HardSigmoid", "max(0, min(1, $alpha:0.2 * x + $beta:0.5))"},
      {"HardSwish", "x * max(0, min(1, x / 6 + 0.5))"},
      {"Mish", "x * tanh(max(x, 0) + log1p(exp(-abs(x))))"},
      {"Softplus", "max(x, 0) + log1p(exp(-abs(x)))"},
      {"Softsign", "x / (1 + abs(x))"},
      {"Identity", "x"},
      {"Not", "not x"},
      {"IsNaN", "isnan(x)"},
  };
  return all;
}

/// Formulas of two arguments, or of any number folded from the left.
const std::map<std::string, const char*>& binary() {
  static const std::map<std::string, const char*> all{
      {"Add", "x + y"},     {"Sub", "x - y"},          {"Mul", "x * y"},
      {"Div", "x / y"},     {"Pow", "x ^ y"},          {"PRelu", "where(x < 0, y * x, x)"},
      {"Max", "max(x, y)"}, {"Min", "min(x, y)"},      {"Sum", "x + y"},
      {"Mean", "x + y"},    {"And", "x and y"},        {"Or", "x or y"},
      {"Xor", "x != y"},    {"Equal", "x == y"},       {"Less", "x < y"},
      {"Greater", "x > y"}, {"LessOrEqual", "x <= y"}, {"GreaterOrEqual", "x >= y"},
  };
  return all;
}

/// Of a reduction: what is reduced, and what is made of the result r of n elements.
struct Fold {
  const char *reducer, *element, *result;
  bool real = false; ///< the result of integers is a real number, cut to their type
};
const std::map<std::string, Fold>& folds() {
  static const std::map<std::string, Fold> all{
      {"ReduceSum", {"sum", "x", "r"}},
      {"ReduceMean", {"sum", "x", "r / (n)", true}},
      {"ReduceProd", {"prod", "x", "r"}},
      {"ReduceMax", {"max", "x", "r"}},
      {"ReduceMin", {"min", "x", "r"}},
      {"ReduceL1", {"sum", "abs(x)", "r"}},
      {"ReduceL2", {"sum", "x^2", "sqrt(r)", true}},
      {"ReduceSumSquare", {"sum", "x^2", "r"}},
      {"ReduceLogSum", {"sum", "x", "log(r)", true}},
      {"ArgMax", {"argmax", "x", "r"}},
      {"ArgMin", {"argmin", "x", "r"}},
  };
  return all;
}

constexpr std::string_view index_names = "ijklmnopqstuvw";

std::string word(DType type, DType float_type) {
  if (type == float_type) return "float";
  return std::string(name_of(type));
}

class Writing {
 public:
  Writing(const OnnxNode& node, std::span<const HostTensor* const> inputs) : node_(node), in_(inputs) {
    out_.type = node.type;
    for (const HostTensor* t : inputs)
      if (t != nullptr && is_float(t->dtype)) {
        out_.float_type = t->dtype;
        break;
      }
  }

  Result<OnnxOperator> run() {
    const std::string& type = node_.type;
    if (!node_.domain.empty() && node_.domain != "ai.onnx") return unsupported("the domain " + node_.domain);
    if (in_.empty() || in_[0] == nullptr) return unsupported("an operator without a first input");
    if (type == "Softmax" || type == "LogSoftmax" || type == "Hardmax") return softmax();
    if (type == "LayerNormalization") return layer_normalization();
    if (type == "ReduceLogSumExp" || folds().contains(type)) return reduction();
    return elementwise();
  }

 private:
  const OnnxNode& node_;
  std::span<const HostTensor* const> in_;
  OnnxOperator out_;

  [[nodiscard]] Diagnostic unsupported(const std::string& what) const {
    return error("onnx.unsupported", node_.type + ": " + what + " is not supported");
  }

  [[nodiscard]] const OnnxNode::Attribute* attribute(const std::string& name) const {
    for (const auto& a : node_.attributes)
      if (a.name == name) return &a;
    return nullptr;
  }
  [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t otherwise) const {
    const auto* a = attribute(name);
    return a == nullptr || a->ints.empty() ? otherwise : a->ints[0];
  }
  [[nodiscard]] double real(const std::string& name, double otherwise) const {
    const auto* a = attribute(name);
    return a == nullptr || a->floats.empty() ? otherwise : a->floats[0];
  }

  [[nodiscard]] static std::int64_t product(const Shape& shape, std::size_t from, std::size_t to) {
    std::int64_t p = 1;
    for (std::size_t i = from; i < to; ++i) p *= shape[i];
    return p;
  }

  void input(std::size_t position, const std::string& name, Shape shape) {
    out_.inputs.push_back({position, name, std::move(shape), in_[position]->shape});
  }
  void output(std::size_t position, const std::string& name, Shape shape, Shape onnx) {
    out_.outputs.push_back({position, name, std::move(shape), std::move(onnx)});
  }

  std::string declared(std::size_t position, const std::string& name, const std::string& dims) const {
    return name + ": " + word(in_[position]->dtype, out_.float_type) + "[" + dims + "]";
  }

  // ---- normalisations along an axis ----

  /// Extents before, along and after the axis; before opset 13 everything from the axis on is one.
  struct Split {
    std::string dims, index; ///< "A, N, B", "[a, j, b]"
    std::string rows;        ///< "[a, b]", or nothing
    Shape shape;
  };
  Result<Split> split(std::int64_t axis, bool flatten) const {
    const Shape& s = in_[0]->shape;
    auto rank = static_cast<std::int64_t>(s.size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis > rank || (axis == rank && !flatten) || rank == 0)
      return error("onnx.axis", node_.type + ": the axis is outside of a tensor of rank " + std::to_string(rank));
    auto at = static_cast<std::size_t>(axis);
    std::size_t end = flatten ? s.size() : at + 1;
    Split out;
    std::string rows;
    auto add = [&](const char* dim, const char* index, std::int64_t extent, bool row) {
      out.dims += (out.dims.empty() ? "" : ", ") + std::string(dim);
      out.index += (out.index.empty() ? "" : ", ") + std::string(index);
      if (row) rows += (rows.empty() ? "" : ", ") + std::string(index);
      out.shape.push_back(extent);
    };
    if (at > 0) add("A", "a", product(s, 0, at), true);
    add("N", "j", product(s, at, end), false);
    if (end < s.size()) add("B", "b", product(s, end, s.size()), true);
    out.index = "[" + out.index + "]";
    if (!rows.empty()) out.rows = "[" + rows + "]";
    return out;
  }

  Result<OnnxOperator> softmax() {
    if (!is_float(in_[0]->dtype)) return unsupported("an element type that is no float");
    bool old = node_.opset != 0 && node_.opset < 13;
    auto s = split(integer("axis", old ? 1 : -1), old);
    if (!s) return s.failure<OnnxOperator>();
    std::string x = "x" + s->index, m = "m" + s->rows, l = "l" + s->rows;
    std::string text = "op onnx_" +
                       std::string(node_.type == "Softmax"   ? "softmax"
                                   : node_.type == "Hardmax" ? "hardmax"
                                                             : "log_softmax") +
                       "(" + declared(0, "x", s->dims) + ") -> y: float[" + s->dims + "]\n";
    if (node_.type == "Hardmax") {
      text += "  " + m + " = argmax[j] " + x + "\n  y" + s->index + " = where(j == " + m + ", 1, 0)\n";
    } else {
      text += "  " + m + " = max[j] " + x + "\n  " + l + " = sum[j] exp(" + x + " - " + m + ")\n  y" + s->index + " = ";
      text += node_.type == "Softmax" ? "exp(" + x + " - " + m + ") / " + l : x + " - " + m + " - log(" + l + ")";
      text += "\n";
    }
    out_.text = std::move(text);
    input(0, "x", s->shape);
    output(0, "y", s->shape, in_[0]->shape);
    return std::move(out_);
  }

  Result<OnnxOperator> layer_normalization() {
    if (in_.size() < 2 || in_[1] == nullptr) return unsupported("an operator without a scale");
    auto s = split(integer("axis", -1), true);
    if (!s) return s.failure<OnnxOperator>();
    bool bias = in_.size() > 2 && in_[2] != nullptr;
    std::int64_t along = s->shape[s->rows.empty() ? 0 : 1];
    for (std::size_t i = 1; i < (bias ? 3U : 2U); ++i)
      if (static_cast<std::int64_t>(in_[i]->element_count()) != along)
        return unsupported("a scale or bias that is broadcast");
    std::string eps = number(real("epsilon", 1e-5)), x = "x" + s->index;
    std::string outputs = "y: float[" + s->dims + "]", rows = s->rows.empty() ? "" : "A";
    bool mean = node_.outputs.size() > 1 && !node_.outputs[1].empty();
    bool inverse = node_.outputs.size() > 2 && !node_.outputs[2].empty();
    std::string stash = in_[0]->dtype == DType::f64 ? "float" : word(DType::f32, out_.float_type);
    if (mean) outputs += ", mean: " + stash + "[" + rows + "]";
    if (inverse) outputs += ", inv: " + stash + "[" + rows + "]";
    std::string text = "op onnx_layer_normalization(" + declared(0, "x", s->dims) + ", " + declared(1, "gamma", "N") +
                       (bias ? ", " + declared(2, "beta", "N") : "") + ") -> " + outputs + "\n";
    std::string mu = (mean ? "mean" : "mu") + s->rows, inv = (inverse ? "inv" : "r") + s->rows;
    text += "  " + mu + " = (sum[j] " + x + ") / N\n";
    text += "  var" + s->rows + " = (sum[j] (" + x + " - " + mu + ")^2) / N\n";
    text += "  " + inv + " = 1 / sqrt(var" + s->rows + " + " + eps + ")\n";
    text +=
        "  y" + s->index + " = (" + x + " - " + mu + ") * " + inv + " * gamma[j]" + (bias ? " + beta[j]" : "") + "\n";
    out_.text = std::move(text);
    input(0, "x", s->shape);
    input(1, "gamma", {static_cast<std::int64_t>(in_[1]->element_count())});
    if (bias) input(2, "beta", {static_cast<std::int64_t>(in_[2]->element_count())});
    output(0, "y", s->shape, in_[0]->shape);
    Shape reduced = in_[0]->shape, row_shape;
    std::int64_t axis = integer("axis", -1);
    auto from = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(reduced.size()) : axis);
    for (std::size_t i = from; i < reduced.size(); ++i) reduced[i] = 1;
    if (!s->rows.empty()) row_shape = {s->shape[0]};
    if (mean) output(1, "mean", row_shape, reduced);
    if (inverse) output(2, "inv", row_shape, reduced);
    return std::move(out_);
  }

  // ---- reductions ----

  Result<std::set<std::size_t>> axes() const {
    auto rank = static_cast<std::int64_t>(in_[0]->shape.size());
    std::vector<std::int64_t> given;
    bool position = node_.type == "ArgMax" || node_.type == "ArgMin";
    if (position)
      given = {integer("axis", 0)};
    else if (const auto* a = attribute("axes"))
      given = a->ints;
    else if (in_.size() > 1 && in_[1] != nullptr)
      for (std::size_t i = 0; i < in_[1]->element_count(); ++i)
        given.push_back(static_cast<std::int64_t>(in_[1]->get(i)));
    std::set<std::size_t> out;
    for (std::int64_t a : given) {
      std::int64_t at = a < 0 ? a + rank : a;
      if (at < 0 || at >= rank)
        return error("onnx.axis",
                     node_.type + ": axis " + std::to_string(a) + " of a tensor of rank " + std::to_string(rank));
      out.insert(static_cast<std::size_t>(at));
    }
    if (given.empty() && integer("noop_with_empty_axes", 0) == 0)
      for (std::size_t i = 0; i < in_[0]->shape.size(); ++i) out.insert(i);
    return out;
  }

  Result<OnnxOperator> reduction() {
    auto reduced = axes();
    if (!reduced) return reduced.failure<OnnxOperator>();
    const Shape& s = in_[0]->shape;
    bool last = node_.type.starts_with("Arg") && integer("select_last_index", 0) != 0;
    // Neighbouring axes that are reduced together, or not at all, are one.
    std::vector<std::pair<bool, std::int64_t>> groups;
    for (std::size_t i = 0; i < s.size(); ++i) {
      bool r = reduced->contains(i);
      if (!groups.empty() && groups.back().first == r)
        groups.back().second *= s[i];
      else
        groups.emplace_back(r, s[i]);
    }
    if (groups.size() > index_names.size()) return unsupported("so many axes");
    std::string dims, all, kept, bound, count, kept_dims;
    Shape shape, kept_shape, onnx;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::string dim = "D" + std::to_string(g), index(1, index_names[g]);
      auto append = [](std::string& to, const std::string& what) { to += (to.empty() ? "" : ", ") + what; };
      append(dims, dim), append(all, last && groups[g].first ? dim + " - 1 - " + index : index);
      shape.push_back(groups[g].second);
      if (groups[g].first) {
        append(bound, last ? index + " in " + dim : index);
        count += (count.empty() ? "" : " * ") + dim;
        continue;
      }
      append(kept, index), append(kept_dims, dim);
      kept_shape.push_back(groups[g].second);
    }
    bool keep = integer("keepdims", 1) != 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (!reduced->contains(i))
        onnx.push_back(s[i]);
      else if (keep)
        onnx.push_back(1);
    bool log_sum_exp = node_.type == "ReduceLogSumExp", arg = node_.type.starts_with("Arg");
    std::string x = all.empty() ? "x" : "x[" + all + "]", row = kept.empty() ? "" : "[" + kept + "]";
    std::string result = arg ? "i64" : word(in_[0]->dtype, out_.float_type);
    std::string text = "op onnx_reduce(" + declared(0, "x", dims) + ") -> y: " + result + "[" + kept_dims + "]\n";
    if (log_sum_exp) {
      if (!is_float(in_[0]->dtype)) return unsupported("an element type that is no float");
      if (bound.empty())
        text += "  y" + row + " = " + x + "\n"; // log(exp(x))
      else
        text += "  m" + row + " = max[" + bound + "] " + x + "\n  s" + row + " = where(abs(m" + row + ") < inf, m" +
                row + ", 0)\n  y" + row + " = s" + row + " + log(sum[" + bound + "] exp(" + x + " - s" + row + "))\n";
    } else {
      const Fold& fold = folds().at(node_.type);
      std::string element = substituted(fold.element, "x", x);
      std::string r = bound.empty() ? element : std::string("(") + fold.reducer + "[" + bound + "] " + element + ")";
      std::string made = substituted(substituted(fold.result, "n", count.empty() ? "1" : count), "r", r);
      if (last) made = count + " - 1 - " + made; // the first from the other end
      if (fold.real && !is_float(in_[0]->dtype)) made = result + "(" + made + ")";
      text += "  y" + row + " = " + made + "\n";
    }
    out_.text = std::move(text);
    input(0, "x", shape);
    output(0, "y", kept_shape, onnx);
    return std::move(out_);
  }

  /// Replaces a whole word.
  static std::string substituted(const std::string& text, const std::string& word, const std::string& with) {
    std::string out;
    auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t i = 0; i < text.size();) {
      bool here = text.compare(i, word.size(), word) == 0 && (i == 0 || !part(text[i - 1])) &&
                  (i + word.size() >= text.size() || !part(text[i + word.size()]));
      if (here) {
        out += with;
        i += word.size();
        continue;
      }
      out += text[i++];
    }
    return out;
  }

  // ---- maps ----

  /// $name:default becomes the attribute's value.
  std::string with_attributes(const std::string& formula) const {
    std::string out;
    for (std::size_t i = 0; i < formula.size();) {
      if (formula[i] != '$') {
        out += formula[i++];
        continue;
      }
      std::size_t colon = formula.find(':', i), end = formula.find_first_not_of("0123456789.", colon + 1);
      std::string name = formula.substr(i + 1, colon - i - 1);
      double otherwise = std::stod(formula.substr(colon + 1, end - colon - 1));
      out += number(static_cast<double>(static_cast<float>(real(name, otherwise))));
      i = std::min(end, formula.size());
    }
    return out;
  }

  struct Operand {
    std::size_t position;
    std::string name, access; ///< "x1", "x1[i, 0]"
  };

  Result<OnnxOperator> elementwise() {
    const std::string& type = node_.type;
    static const std::set<std::string> others{"Cast", "CastLike", "IsInf", "Clip", "Where", "Mod"};
    if (!unary().contains(type) && !binary().contains(type) && !others.contains(type))
      return unsupported("the operator");
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < in_.size(); ++i)
      if (in_[i] != nullptr && !(type == "CastLike" && i == 1)) used.push_back(i);
    if (used.size() > 1 && node_.opset != 0 && node_.opset < 7)
      return unsupported("the broadcasting of opset " + std::to_string(node_.opset));
    auto shape = broadcast(used);
    if (!shape) return shape.failure<OnnxOperator>();
    if (shape->size() > index_names.size()) return unsupported("so many axes");
    std::vector<Operand> operands = operands_of(used, *shape);
    auto formula = formula_of(operands);
    if (!formula) return formula.failure<OnnxOperator>();
    auto result = result_type();
    if (!result) return result.failure<OnnxOperator>();
    std::string inputs;
    for (const Operand& o : operands)
      inputs += (inputs.empty() ? "" : ", ") + declared(o.position, o.name, dims_.at(o.position));
    out_.text = "op onnx_map(" + inputs + ") -> y: " + word(*result, out_.float_type) + "[" + out_dims_ + "]\n  y" +
                (out_index_.empty() ? "" : "[" + out_index_ + "]") + " = " + *formula + "\n";
    for (const Operand& o : operands) input(o.position, o.name, shapes_.at(o.position));
    output(0, "y", out_shape_, *shape);
    return std::move(out_);
  }
  std::map<std::size_t, std::string> dims_;
  std::map<std::size_t, Shape> shapes_;
  std::string out_dims_, out_index_;
  Shape out_shape_;

  Result<Shape> broadcast(const std::vector<std::size_t>& used) const {
    Shape shape;
    for (std::size_t i : used) {
      const Shape& s = in_[i]->shape;
      if (s.size() > shape.size()) shape.insert(shape.begin(), s.size() - shape.size(), 1);
      for (std::size_t k = 0; k < s.size(); ++k) {
        std::int64_t& extent = shape[shape.size() - s.size() + k];
        if (extent != s[k] && extent != 1 && s[k] != 1)
          return error("onnx.broadcast", node_.type + ": the inputs' shapes do not broadcast");
        if (extent == 1) extent = s[k];
      }
    }
    return shape;
  }

  /// Axes next to each other that every input has, or lacks, alike are one axis of the definition.
  std::vector<Operand> operands_of(const std::vector<std::size_t>& used, const Shape& shape) {
    auto has = [&](std::size_t input, std::size_t axis) {
      const Shape& s = in_[input]->shape;
      std::size_t lead = shape.size() - s.size();
      return axis >= lead && s[axis - lead] == shape[axis];
    };
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      bool alike = !groups.empty() && std::all_of(used.begin(), used.end(), [&](std::size_t i) {
        return has(i, axis) == has(i, groups.back().back());
      });
      if (alike)
        groups.back().push_back(axis);
      else
        groups.push_back({axis});
    }
    std::vector<Operand> operands;
    for (std::size_t i : used) {
      Operand o{i, used.size() == 1 ? "x" : "x" + std::to_string(operands.size()), ""};
      std::string index;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (!has(i, groups[g][0])) continue; // all of its axes are 1 or absent
        std::int64_t extent = 1;
        for (std::size_t axis : groups[g]) extent *= shape[axis];
        shapes_[i].push_back(extent);
        dims_[i] += (dims_[i].empty() ? "" : ", ") + ("D" + std::to_string(g));
        index += (index.empty() ? "" : ", ") + std::string(1, index_names[g]);
      }
      shapes_.try_emplace(i), dims_.try_emplace(i);
      o.access = index.empty() ? o.name : o.name + "[" + index + "]";
      operands.push_back(std::move(o));
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::int64_t extent = 1;
      for (std::size_t axis : groups[g]) extent *= shape[axis];
      out_shape_.push_back(extent);
      out_dims_ += (g == 0 ? "" : ", ") + ("D" + std::to_string(g));
      out_index_ += (g == 0 ? "" : ", ") + std::string(1, index_names[g]);
    }
    return operands;
  }

  [[nodiscard]] bool whole(const Operand& o) const { return !is_float(in_[o.position]->dtype); }

  Result<std::string> formula_of(const std::vector<Operand>& o) const {
    const std::string& type = node_.type;
    if (auto f = unary().find(type); f != unary().end() && o.size() == 1)
      return substituted(with_attributes(f->second), "x", o[0].access);
    if ((type == "Cast" || type == "CastLike") && o.size() == 1) return cast(o[0]);
    if (type == "IsInf" && o.size() == 1) {
      bool below = integer("detect_negative", 1) != 0, above = integer("detect_positive", 1) != 0;
      std::string x = o[0].access, none = "isnan(" + x + ") and not isnan(" + x + ")";
      if (!below && !above) return none;
      return below && above ? "abs(" + x + ") == inf" : x + (above ? " == inf" : " == -inf");
    }
    if (type == "Clip") return clip(o);
    if (type == "Where" && o.size() == 3) return "where(" + o[0].access + ", " + o[1].access + ", " + o[2].access + ")";
    if (type == "Mod" && o.size() == 2) return mod(o);
    auto f = binary().find(type);
    if (f == binary().end() || o.empty()) return unsupported("the operator");
    bool many = type == "Max" || type == "Min" || type == "Sum" || type == "Mean";
    if (!many && o.size() != 2) return unsupported("a number of inputs of " + std::to_string(o.size()));
    if (type == "Div" && whole(o[0])) // truncates towards zero
      return substituted(
          substituted("where((x < 0) == (y < 0), abs(x) // abs(y), -(abs(x) // abs(y)))", "x", o[0].access), "y",
          o[1].access);
    std::string total = o[0].access;
    for (std::size_t i = 1; i < o.size(); ++i) {
      std::string left = i > 1 ? "(" + total + ")" : total;
      total = substituted(substituted(f->second, "x", left), "y", o[i].access);
    }
    if (type == "Mean") return "(" + total + ") / " + std::to_string(o.size());
    if (type == "Pow" && whole(o[0])) return std::string(name_of(in_[o[0].position]->dtype)) + "(" + total + ")";
    bool wraps = node_.wrap_bits != 0 && (type == "Add" || type == "Sub" || type == "Mul");
    return wraps ? "(" + total + ") % " + std::to_string(std::int64_t{1} << node_.wrap_bits) : total;
  }

  /// Towards zero from a real number to an integer; anything but zero is true.
  Result<std::string> cast(const Operand& o) const {
    auto to = result_type();
    if (!to) return to.failure<std::string>();
    DType from = in_[o.position]->dtype;
    if (*to == from || (is_float(*to) && from != DType::boolean)) return o.access;
    if (*to == DType::boolean) return o.access + " != 0";
    if (from == DType::boolean) return "where(" + o.access + ", 1, 0)";
    std::string whole = is_float(from) ? substituted("sign(x) * floor(abs(x))", "x", o.access) : o.access;
    return std::string(name_of(*to)) + "(" + whole + ")";
  }

  Result<std::string> clip(const std::vector<Operand>& o) const {
    std::string text = o[0].access;
    if (const auto* a = attribute("min"); a != nullptr && !a->floats.empty())
      text = "max(" + text + ", " + number(a->floats[0]) + ")";
    if (const auto* a = attribute("max"); a != nullptr && !a->floats.empty())
      text = "min(" + text + ", " + number(a->floats[0]) + ")";
    for (const Operand& bound : o)
      if (bound.position != 0) text = (bound.position == 1 ? "max(" : "min(") + text + ", " + bound.access + ")";
    return text;
  }

  /// The sign of the divisor, or with fmod that of the dividend.
  Result<std::string> mod(const std::vector<Operand>& o) const {
    std::string x = o[0].access, y = o[1].access;
    if (integer("fmod", 0) == 0) return x + " % " + y;
    return "sign(" + x + ") * (abs(" + x + ") % abs(" + y + "))";
  }

  Result<DType> result_type() const {
    const std::string& type = node_.type;
    static const std::set<std::string> truth{"Not",  "IsNaN",   "IsInf",       "And",           "Or", "Xor", "Equal",
                                             "Less", "Greater", "LessOrEqual", "GreaterOrEqual"};
    if (truth.contains(type)) return DType::boolean;
    if (type == "Where") return in_[1]->dtype;
    if (type == "CastLike")
      return in_.size() > 1 && in_[1] != nullptr ? Result<DType>(in_[1]->dtype) : unsupported("a missing type");
    if (type != "Cast") return in_[0]->dtype;
    static const std::map<std::int64_t, DType> types{{1, DType::f32},  {3, DType::i8},      {6, DType::i32},
                                                     {7, DType::i64},  {9, DType::boolean}, {10, DType::f16},
                                                     {11, DType::f64}, {16, DType::bf16}};
    auto to = types.find(integer("to", 0));
    if (to == types.end()) return unsupported("a cast to that element type");
    return to->second;
  }
};

} // namespace

Result<OnnxOperator> operator_of(const OnnxNode& node, std::span<const HostTensor* const> inputs) {
  return Writing(node, inputs).run();
}

} // namespace aicf
