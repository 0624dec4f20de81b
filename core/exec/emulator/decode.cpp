#include "core/exec/emulator/decode.hpp"

#include "core/exec/emulator/lower.hpp"
#include "core/exec/emulator/ptx_parser.hpp"

namespace aicf::emulator {

Result<Program> decode(std::string_view ptx, std::string_view entry) {
  auto module = ptx::parse(ptx);
  if (!module) return module.failure<Program>();
  Program program;
  std::vector<Diagnostic> errors;
  Lowering lowering(*module, program, errors);
  if (!lowering.run(entry) || !lay_out(lowering, program, errors)) return errors;
  std::unordered_map<std::string_view, std::size_t> variable_named, function_named;
  for (std::size_t k = 0; k < module->variables.size(); ++k) variable_named[module->variables[k].name] = k;
  for (std::size_t k = 0; k < module->functions.size(); ++k)
    if (module->functions[k].defined) function_named.try_emplace(module->functions[k].name, k);
  // The text may go: keep the names of the variables.
  program.names.reserve(program.variables.size());
  for (auto& v : program.variables) {
    program.names.emplace_back(v.name);
    v.name = {};
    for (auto& r : v.relocations) {
      if (const auto of = variable_named.find(r.symbol); of != variable_named.end()) {
        r.target = static_cast<std::int32_t>(of->second);
      } else if (const auto code = function_named.find(r.symbol); code != function_named.end()) {
        r.target = ptx::Relocation::of_code;
        r.addend += static_cast<std::int64_t>(Lowering::code_address(code->second));
      } else if (errors.size() < 20) {
        errors.push_back(error("ptx.symbol",
                               "'" + std::string(r.symbol) + "' in an initialiser is neither a variable nor a function",
                               Span{"ptx", v.line, 0, 0}));
      }
      r.symbol = {};
    }
  }
  if (!errors.empty()) return errors;
  return program;
}

} // namespace aicf::emulator
