#include "core/kernel/cuda_expr.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace aicf::ir {
namespace {

template <class T> std::string shortest(T value) {
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string number(std::int64_t value) { return std::to_string(value); }

} // namespace

std::string CudaExpressions::type_name(Type type) {
  switch (type) {
  case Type::pred: return "bool";
  case Type::i32: return "int";
  case Type::i64: return "long long";
  case Type::f32: return "float";
  case Type::f64: return "double";
  default: throw std::logic_error("a value without a C++ type");
  }
}

std::string CudaExpressions::element_type(const Buffer& buffer) {
  return buffer.computed ? type_name(buffer.type) : storage_type(buffer.dtype);
}

std::string CudaExpressions::wrapped(const CudaExpr& e, Binds at_least) {
  return e.binds < at_least ? "(" + e.text + ")" : e.text;
}

std::string CudaExpressions::text(NodeId id, Binds at_least) { return wrapped(value(id), at_least); }

CudaExpr CudaExpressions::constant(Type type, double v) {
  switch (type) {
  case Type::pred: return {v != 0 ? "true" : "false"};
  case Type::i32: return {number(static_cast<std::int64_t>(v)), v < 0 ? Binds::unary : Binds::primary};
  case Type::i64: {
    if (v == -0x1p63) return {"(-9223372036854775807LL - 1)"};
    return {number(static_cast<std::int64_t>(v)) + "LL", v < 0 ? Binds::unary : Binds::primary};
  }
  case Type::f32: {
    auto f = static_cast<float>(v);
    if (std::isnan(f)) return {"__int_as_float(0x7fffffff)"};
    if (std::isinf(f)) return {std::string(f < 0 ? "-" : "") + "__int_as_float(0x7f800000)", Binds::unary};
    return {shortest(f) + "f", std::signbit(f) ? Binds::unary : Binds::primary};
  }
  case Type::f64: {
    if (std::isnan(v)) return {"__longlong_as_double(0x7fffffffffffffffLL)"};
    if (std::isinf(v))
      return {std::string(v < 0 ? "-" : "") + "__longlong_as_double(0x7ff0000000000000LL)", Binds::unary};
    return {shortest(v), std::signbit(v) ? Binds::unary : Binds::primary};
  }
  default: throw std::logic_error("a constant without a type");
  }
}

CudaExpr CudaExpressions::call(const std::string& function, const Node& n) {
  std::string args;
  for (NodeId a : n.args) args += (args.empty() ? "" : ", ") + text(a);
  return {function + "(" + args + ")"};
}

CudaExpr CudaExpressions::binary(const char* op, Binds binds, const Node& n) {
  auto tighter = static_cast<Binds>(static_cast<int>(binds) + 1); // on the right: these associate to the left
  return {text(n.args[0], binds) + " " + op + " " + text(n.args[1], tighter), binds};
}

CudaExpr CudaExpressions::apply(const Node& n) {
  bool real = is_real(n.type);
  bool fast = n.accuracy == Accuracy::fast;
  auto library = [&](const char* name) { return call(std::string(name) + (n.type == Type::f32 ? "f" : ""), n); };
  switch (n.op) {
  case Op::add: return binary("+", Binds::sum, n);
  case Op::sub: return binary("-", Binds::sum, n);
  case Op::mul: return binary("*", Binds::product, n);
  case Op::div:
    if (!fast) return binary("/", Binds::product, n);
    return {p.need("reciprocal_fast") + "(" + text(n.args[1]) + ")"}; // the numerator of a fast division is 1
  case Op::neg: return {"-" + text(n.args[0], Binds::primary), Binds::unary};
  case Op::floordiv:
    if (real) return {(n.type == Type::f32 ? "floorf(" : "floor(") + binary("/", Binds::product, n).text + ")"};
    return n.nonnegative ? binary("/", Binds::product, n) : call(p.need("floor_div"), n);
  case Op::mod:
    if (real) return call(p.need("floor_mod_real"), n);
    return n.nonnegative ? binary("%", Binds::product, n) : call(p.need("floor_mod"), n);
  case Op::min:
  case Op::max: {
    if (real) return call(p.need(n.op == Op::max ? "max_nan" : "min_nan"), n);
    std::string a = text(n.args[0], Binds::shift), b = text(n.args[1], Binds::shift);
    return {a + (n.op == Op::max ? " > " : " < ") + b + " ? " + a + " : " + b, Binds::ternary};
  }
  case Op::exp: return library("exp");
  case Op::exp2: return fast ? call(p.need("exp2_fast"), n) : library("exp2");
  case Op::expm1: return library("expm1");
  case Op::log: return library("log");
  case Op::log2: return fast ? call(p.need("log2_fast"), n) : library("log2");
  case Op::log1p: return library("log1p");
  case Op::sqrt: return library("sqrt");
  case Op::rsqrt: return library("rsqrt");
  case Op::tanh: return fast ? call(p.need("tanh_fast"), n) : library("tanh");
  case Op::erf: return fast ? call(p.need("erf_fast"), n) : library("erf");
  case Op::sin: return library("sin");
  case Op::cos: return library("cos");
  case Op::atan: return library("atan");
  case Op::pow: return library("pow");
  case Op::abs: return real ? library("fabs") : n.type == Type::i64 ? call("llabs", n) : call("abs", n);
  case Op::sign: return call(p.need("sign_of"), n);
  case Op::floor: return library("floor");
  case Op::ceil: return library("ceil");
  case Op::round: return library("rint");
  case Op::isnan: {
    std::string v = text(n.args[0], Binds::relation);
    return {v + " != " + v, Binds::equality};
  }
  case Op::lt: return binary("<", Binds::relation, n);
  case Op::le: return binary("<=", Binds::relation, n);
  case Op::eq: return binary("==", Binds::equality, n);
  case Op::ne: return binary("!=", Binds::equality, n);
  case Op::and_: return binary("&&", Binds::both, n);
  case Op::or_: { // gcc-style warnings ask for parentheses around && inside ||
    auto side = [&](NodeId a) {
      CudaExpr e = value(a);
      return wrapped(e, e.binds == Binds::both ? Binds::primary : Binds::either);
    };
    return {side(n.args[0]) + " || " + side(n.args[1]), Binds::either};
  }
  case Op::not_: return {"!" + text(n.args[0], Binds::primary), Binds::unary};
  case Op::select:
    return {text(n.args[0], Binds::either) + " ? " + text(n.args[1], Binds::either) + " : " + text(n.args[2]),
            Binds::ternary};
  default: throw std::logic_error("an operation without CUDA text: " + std::string(name_of(n.op)));
  }
}

CudaExpr CudaExpressions::convert(const Node& n) {
  Type from = k.nodes[n.args[0]].type;
  if (from == Type::pred) {
    std::string one = constant(n.type, 1).text, zero = constant(n.type, 0).text;
    return {text(n.args[0], Binds::either) + " ? " + one + " : " + zero, Binds::ternary};
  }
  if (is_real(from) && !is_real(n.type)) return call(p.need(n.type == Type::i32 ? "to_i32" : "to_i64"), n);
  return {"static_cast<" + type_name(n.type) + ">(" + text(n.args[0]) + ")"};
}

CudaExpr CudaExpressions::rounded(const Node& n) {
  std::string v = text(n.args[0]), cast = "static_cast<" + type_name(n.type) + ">(";
  switch (n.dtype) {
  case DType::bf16:
  case DType::f16: {
    std::string name(name_of(n.dtype));
    std::string narrow = n.type == Type::f32 ? v : p.need("sticky_f32") + "(" + v + ")";
    std::string back = p.need("from_" + name) + "(" + p.need("to_" + name) + "(" + narrow + "))";
    return {n.type == Type::f64 ? cast + back + ")" : back};
  }
  case DType::i8: return {cast + p.need("to_i8") + "(" + v + "))"};
  case DType::i32: return {cast + p.need("to_i32") + "(" + v + "))"};
  case DType::i64: return {cast + p.need("to_i64") + "(" + v + "))"};
  case DType::boolean:
    return {v + " != 0 ? " + constant(n.type, 1).text + " : " + constant(n.type, 0).text, Binds::ternary};
  case DType::f32: return {n.type == Type::f32 ? v : "static_cast<double>(static_cast<float>(" + v + "))"};
  case DType::f64: return value(n.args[0]);
  }
  throw std::logic_error("a rounding to no type");
}

/// Row-major or strided, plus the stage of a ring, swizzled where the layout says so.
std::string CudaExpressions::offset(const Buffer& b, std::span<const NodeId> indices) {
  std::string out;
  std::size_t at = 0;
  auto add = [&](NodeId index, std::int64_t stride) {
    const Node& n = k.nodes[index];
    if (n.code == Code::constant && n.number == 0) return;
    std::string term = stride == 1 ? text(index, Binds::sum) : text(index, Binds::product) + " * " + number(stride);
    out += (out.empty() ? "" : " + ") + term;
  };
  if (b.stages > 1) add(indices[at++], extent_of(b.layout));
  for (std::size_t i = 0; at < indices.size(); ++i, ++at) add(indices[at], stride_of(b.layout, i));
  if (out.empty()) out = "0";
  const Swizzle& s = b.layout.swizzle;
  if (s.bits == 0) return out;
  std::int64_t mask = (std::int64_t{1} << s.bits) - 1;
  return "(" + out + ") ^ ((" + out + ") >> " + number(s.base + s.shift) + " & " + number(mask) + ") << " +
         number(s.base);
}

std::string CudaExpressions::element(BufferId buffer, std::span<const NodeId> indices) {
  const Buffer& b = k.buffers[buffer];
  if (b.space == Space::global) return text(indices[0], Binds::primary) + "[" + text(indices[1]) + "]";
  if (b.space == Space::shared) return b.name + "[" + offset(b, indices) + "]";
  std::string out = b.name;
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (b.layout.shape[i] > 1) out += "[" + text(indices[i]) + "]";
  return out;
}

std::string CudaExpressions::pointer(BufferId buffer, std::span<const NodeId> indices) {
  const Buffer& b = k.buffers[buffer];
  std::string base = b.space == Space::global ? text(indices[0], Binds::primary) : b.name;
  std::string at = b.space == Space::global ? text(indices[1], Binds::sum) : offset(b, indices);
  return at == "0" ? base : base + " + " + (b.layout.swizzle.bits == 0 ? at : "(" + at + ")");
}

std::string CudaExpressions::group(BufferId buffer, std::span<const NodeId> indices) {
  const Buffer& b = k.buffers[buffer];
  std::string out = b.name;
  for (std::size_t i = 0; i + 1 < indices.size(); ++i)
    if (b.layout.shape[i] > 1) out += "[" + text(indices[i]) + "]";
  return out;
}

CudaExpr CudaExpressions::loaded(const Buffer& b, std::string element) {
  if (b.computed) return {std::move(element)};
  switch (b.dtype) {
  case DType::bf16:
  case DType::f16: return {p.need("from_" + std::string(name_of(b.dtype))) + "(" + element + ")"};
  case DType::boolean: return {element + " != 0", Binds::equality};
  default: return {std::move(element)};
  }
}

CudaExpr CudaExpressions::load(const Node& n) {
  const Buffer& b = k.buffers[n.buffer];
  std::size_t count = index_count(b);
  std::span<const NodeId> indices(n.args.data(), count);
  CudaExpr v;
  if (is_packed(b))
    v = {p.need(std::string(name_of(b.dtype)) + "_in") + "(" + group(n.buffer, indices) + ".w, " +
         text(indices.back()) + ")"};
  else
    v = loaded(b, element(n.buffer, indices));
  if (n.args.size() == count) return v;
  return {text(n.args[count], Binds::either) + " ? " + wrapped(v, Binds::either) + " : " + text(n.args[count + 1]),
          Binds::ternary};
}

std::string CudaExpressions::stored(const Buffer& b, const CudaExpr& v, Type type) {
  if (b.computed) return v.text;
  switch (b.dtype) {
  case DType::bf16:
  case DType::f16: {
    std::string narrow = type == Type::f32 ? v.text : p.need("sticky_f32") + "(" + v.text + ")";
    return p.need("to_" + std::string(name_of(b.dtype))) + "(" + narrow + ")";
  }
  case DType::i8: return p.need("to_i8") + "(" + v.text + ")";
  case DType::boolean: return wrapped(v, Binds::either) + " ? 1 : 0";
  default: return v.text;
  }
}

CudaExpr CudaExpressions::value(NodeId id, bool full) {
  const Node& n = k.nodes[id];
  if (!full && !n.name.empty()) return {n.name};
  switch (n.code) {
  case Code::constant: return constant(n.type, n.number);
  case Code::param: return {k.params[n.index].name};
  case Code::apply: return apply(n);
  case Code::fma: return call(n.type == Type::f32 ? "fmaf" : "fma", n);
  case Code::convert: return convert(n);
  case Code::round: return rounded(n);
  case Code::view: {
    CudaExpr at = value(n.args[0]);
    bool first = at.text == "0LL" || at.text == "0";
    std::string from = k.buffers[n.buffer].name + (first ? "" : " + " + wrapped(at, Binds::sum));
    if (n.index > 0) return {p.need("read_again") + "(" + from + ")"};
    return {from, first ? Binds::primary : Binds::sum};
  }
  case Code::load: return load(n);
  case Code::extreme: {
    std::string piece = std::string(name_of(n.op)) + "_of_" + std::string(name_of(k.buffers[n.buffer].dtype));
    return {p.need(piece) + "(" + group(n.buffer, n.args) + ")"};
  }
  case Code::shuffle: {
    const char* kind = n.shuffle == Shuffle::exchange ? "__shfl_xor_sync"
                       : n.shuffle == Shuffle::down   ? "__shfl_down_sync"
                                                      : "__shfl_sync";
    return {std::string(kind) + "(0xffffffffu, " + text(n.args[0]) + ", " + text(n.args[1]) + ")"};
  }
  default: throw std::logic_error("no CUDA text for " + std::string(name_of(n.code)));
  }
}

} // namespace aicf::ir
