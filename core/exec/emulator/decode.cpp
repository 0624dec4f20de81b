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
  // The text may go: keep the names of the variables.
  program.names.reserve(program.variables.size());
  for (auto& v : program.variables) {
    program.names.emplace_back(v.name);
    v.name = {};
    for (auto& r : v.relocations) {
      for (std::size_t k = 0; k < module->variables.size(); ++k)
        if (module->variables[k].name == r.symbol) r.target = static_cast<std::int32_t>(k);
      for (std::size_t k = 0; k < module->functions.size() && r.target == -1; ++k)
        if (module->functions[k].name == r.symbol && module->functions[k].defined) {
          r.target = ptx::Relocation::of_code;
          r.addend += static_cast<std::int64_t>(Lowering::code_address(k));
        }
      if (r.target == -1)
        errors.push_back(error("ptx.symbol", "'" + std::string(r.symbol) +
                                                 "' in an initialiser is neither a variable nor a function"));
      r.symbol = {};
    }
  }
  program.call_depth = static_cast<std::uint32_t>(lowering.functions.size());
  if (!errors.empty()) return errors;
  return program;
}

} // namespace aicf::emulator
