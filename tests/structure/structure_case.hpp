// Analysis of an operator written in a test.
#pragma once
#include "core/expr/check.hpp"
#include "core/structure/structure.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace aicf {

inline Canonical canonical_of(const std::string& text) {
  Result<Definition> d = parse_definition(text, "test.op");
  if (!d) throw std::runtime_error(d.diagnostics.empty() ? "no definition" : format(d.diagnostics[0], text));
  return canonicalize(std::make_shared<Definition>(std::move(*d)));
}

inline StructureProfile profile_of(const std::string& text, std::uint64_t seed = 1) {
  return analyze(canonical_of(text), seed);
}

/// Over rows of x (and z, w): statements, the last of which is the result y[i].
inline std::string row_op(const std::string& statements, const std::string& inputs = {}) {
  std::string text = "op t(x: float[M, N]" + inputs + ") -> y: float[M]\n";
  std::size_t at = 0;
  while (at < statements.size()) {
    std::size_t end = statements.find(';', at);
    if (end == std::string::npos) end = statements.size();
    text += "  " + statements.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

/// The last reduction whose name is `name`, or name#1.
inline const Reduction& reduction(const StructureProfile& p, const std::string& name) {
  for (const Reduction& r : p.reductions)
    if (r.name == name || r.name == name + "#1") return r;
  throw std::runtime_error("no reduction " + name);
}

inline const Cascade& cascade_with(const StructureProfile& p, const std::string& name) {
  for (const Cascade& c : p.cascades)
    for (std::size_t i : c.reductions)
      if (&p.reductions[i] == &reduction(p, name)) return c;
  throw std::runtime_error("no cascade of " + name);
}

inline std::string text_of(const Rank& r) {
  switch (r.kind) {
  case Rank::Kind::finite: return std::to_string(r.value);
  case Rank::Kind::unbounded: return "unbounded";
  case Rank::Kind::unknown: return "unknown";
  default: return "none";
  }
}

} // namespace aicf
