// What the commands of `aicf` share. A command is one file: it registers itself, adds its options and returns an exit
// status.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/plan/plan.hpp"
#include "core/structure/structure.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf::cli {

/// DESIGN.md, section 12.
enum Exit : int { done = 0, negative = 1, bad_input = 2, lacking = 3 };

struct Command {
  std::string name, about;
  /// Adds options to the subcommand; returns what runs it.
  std::function<std::function<int(std::stop_token)>(CLI::App&)> setup;
};
struct RegisterCommand {
  explicit RegisterCommand(Command command);
};
[[nodiscard]] const std::vector<Command>& commands(); ///< by name

/// Prints every diagnostic to standard error and says which exit status they mean.
int report(const std::vector<Diagnostic>& diagnostics, const std::optional<Unavailable>& missing,
           std::string_view source = {});
template <class T> int report(const Result<T>& result, std::string_view source = {}) {
  return report(result.diagnostics, result.missing, source);
}
int complain(const std::string& what); ///< one line on standard error; bad_input
void print_json(const nlohmann::json& document);
int write_file(const std::string& path, std::string_view content); ///< done, or bad_input and why not

/// FILE|OP: a path, or the name of an operator of the atlas. `op` picks one of a file with several.
[[nodiscard]] Result<Definition> find_operator(const std::string& file_or_name, const std::string& op);
/// Analysed; diagnostics are already printed when it is null, and `status` set.
[[nodiscard]] std::shared_ptr<const StructureProfile> analysed(const std::string& file_or_name, const std::string& op,
                                                               int& status);

/// "M=64,N=1000"; names must be dims of the definition, and every dim must be given.
[[nodiscard]] Result<std::map<std::string, std::int64_t>> parse_shape(const std::string& text,
                                                                      const Definition& definition);
/// "eps=1e-6", for every `--set`.
[[nodiscard]] Result<std::map<std::string, double>> parse_scalars(const std::vector<std::string>& settings,
                                                                  const Definition& definition);
/// "state_form=online,threads=256": choices that plans must have made. Whether they exist is restrict_to's to say.
[[nodiscard]] Result<std::map<std::string, std::string>> parse_choices(const std::string& text);
/// A file, or the name of an example profile of the atlas; empty: the default profile.
[[nodiscard]] Result<CompilerProfile> find_profile(const std::string& file_or_name);

/// Fixed-width columns, right-aligned where a cell is a number.
[[nodiscard]] std::string table(const std::vector<std::string>& header,
                                const std::vector<std::vector<std::string>>& rows);

} // namespace aicf::cli
