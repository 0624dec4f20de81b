// What an instruction counts as, from its text: line_counters.hpp says which class is which.
#include "core/exec/emulator/lower.hpp"

#include <algorithm>
#include <string_view>

namespace aicf::emulator {
namespace {

using Class = InstructionClass;
using ptx::Type;
using Parts = std::vector<std::string_view>;

bool among(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has(const Parts& parts, std::string_view word) {
  return std::find(parts.begin(), parts.end(), word) != parts.end();
}

Class arithmetic_class(Type t) {
  switch (t) {
  case Type::f32: return Class::f32;
  case Type::f64: return Class::f64;
  case Type::f16:
  case Type::bf16:
  case Type::f16x2:
  case Type::bf16x2: return Class::half;
  default: return Class::integer;
  }
}

Class space_class(const Parts& parts) {
  for (std::size_t n = 1; n < parts.size(); ++n) {
    const auto word = parts[n].substr(0, parts[n].find("::"));
    if (word == "global") return Class::global;
    if (word == "shared") return Class::shared;
    if (word == "local") return Class::local;
    if (word == "const") return Class::constant;
    if (word == "param") return Class::parameter;
  }
  return Class::generic;
}

/// cp, wgmma, mbarrier and their kin: what waits and commits is no copy.
Class asynchronous_class(const Parts& parts) {
  if (parts[0] == "mbarrier" || has(parts, "mbarrier") || has(parts, "commit_group") || has(parts, "wait_group") ||
      has(parts, "wait_all"))
    return Class::synchronisation;
  if (parts[0] == "wgmma") return has(parts, "fence") ? Class::synchronisation : Class::tensor;
  return Class::copy;
}

bool real(Class c) { return c == Class::f32 || c == Class::f64 || c == Class::half; }

Class class_of(const Parts& parts) {
  const auto op = parts[0];
  const Class by_type = arithmetic_class(ptx::type_from(parts.back()));
  if (among(op, {"ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix", "prefetch", "prefetchu", "applypriority",
                 "discard", "multimem"}))
    return has(parts, "async") ? Class::copy : space_class(parts);
  if (among(op, {"cp", "wgmma", "mbarrier"})) return asynchronous_class(parts);
  if (op == "mma") return Class::tensor;
  if (op == "wmma") return parts.size() > 1 && parts[1] == "mma" ? Class::tensor : space_class(parts);
  if (among(op, {"bar", "barrier", "membar", "fence"})) return Class::synchronisation;
  if (among(op, {"shfl", "vote", "match", "redux", "activemask", "elect", "movmatrix"})) return Class::warp;
  if (among(op, {"mov", "selp", "slct", "createpolicy"})) return Class::move;
  if (op == "cvt") return Class::conversion;
  if (among(op, {"bra", "brx", "call", "ret", "exit", "trap", "brkpt", "nanosleep", "pmevent", "setmaxnreg",
                 "griddepcontrol"}))
    return Class::control;
  if (among(op, {"div", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"}) && real(by_type))
    return Class::special;
  return by_type;
}

} // namespace

Cost cost_of(const ptx::Instruction& i) {
  Cost cost;
  if (i.parts.empty()) return cost;
  cost.counted_as = class_of(i.parts);
  if (!real(cost.counted_as)) return cost;
  const auto op = i.parts[0];
  const unsigned each = among(op, {"fma", "mad"}) ? 2 : among(op, {"add", "sub", "mul"}) ? 1 : 0;
  const Type t = ptx::type_from(i.parts.back());
  cost.flops = static_cast<std::uint8_t>(each * (t == Type::f16x2 || t == Type::bf16x2 ? 2 : 1));
  return cost;
}

} // namespace aicf::emulator
