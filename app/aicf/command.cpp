#include "app/aicf/command.hpp"

#include "core/base/atlas_path.hpp"
#include "core/expr/check.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace aicf::cli {
namespace {

namespace fs = std::filesystem;

std::vector<Command>& registry() {
  static std::vector<Command> all;
  return all;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

template <class T> bool parse_number(const std::string& text, T& out) {
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  return problem == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
  return text.empty() ? "none" : text;
}

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,eE+-%") == std::string::npos &&
         cell.find_first_of("0123456789") != std::string::npos;
}

std::size_t width_of(const std::string& cell) { // code points; every text here is single-width
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

} // namespace

RegisterCommand::RegisterCommand(Command command) {
  auto& all = registry();
  all.insert(std::lower_bound(all.begin(), all.end(), command.name,
                              [](const Command& c, const std::string& n) { return c.name < n; }),
             std::move(command));
}

const std::vector<Command>& commands() { return registry(); }

int report(const std::vector<Diagnostic>& diagnostics, const std::optional<Unavailable>& missing,
           std::string_view source) {
  for (const Diagnostic& d : diagnostics) std::cerr << format(d, source) << '\n';
  if (missing)
    std::cerr << "aicf: missing here: " << missing->what
              << (missing->how_to_get.empty() ? "" : ": " + missing->how_to_get) << '\n';
  return missing ? lacking : has_errors(diagnostics) ? bad_input : done;
}

int complain(const std::string& what) {
  std::cerr << "aicf: error: " << printable(what) << '\n';
  return bad_input;
}

void print_json(const nlohmann::json& document) {
  std::cout << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

int write_file(const std::string& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary);
  out << content;
  return out.flush() ? done : complain("cannot write " + path);
}

Result<Definition> find_operator(const std::string& file_or_name, const std::string& op) {
  std::optional<std::string> wanted = op.empty() ? std::nullopt : std::optional(op);
  std::error_code ignored;
  bool path = file_or_name.find('/') != std::string::npos || file_or_name.ends_with(".op");
  fs::path in_atlas = atlas_dir() / "ops" / (file_or_name + ".op");
  if (!path && fs::is_regular_file(in_atlas, ignored)) return load_definition(in_atlas.string(), wanted);
  if (fs::is_regular_file(file_or_name, ignored)) return load_definition(file_or_name, wanted);
  return error("cli.no-operator", path ? "cannot read it" : "neither a file nor an operator of the atlas",
               {file_or_name, 0, 0, 0}, path ? "" : "`aicf ops` lists the operators");
}

std::shared_ptr<const StructureProfile> analysed(const std::string& file_or_name, const std::string& op, int& status) {
  Result<Definition> definition = find_operator(file_or_name, op);
  std::string source = definition ? definition->text : std::string();
  if (!definition) {
    std::error_code ignored; // the lines that the errors point into
    std::ifstream in(file_or_name, std::ios::binary);
    if (fs::is_regular_file(file_or_name, ignored)) source.assign(std::istreambuf_iterator<char>(in), {});
  }
  status = report(definition, source);
  if (!definition) return nullptr;
  return std::make_shared<const StructureProfile>(
      analyze(canonicalize(std::make_shared<const Definition>(std::move(*definition)))));
}

Result<std::map<std::string, std::int64_t>> parse_shape(const std::string& text, const Definition& definition) {
  std::map<std::string, std::int64_t> dims;
  for (const std::string& part : split(text, ',')) {
    if (text.empty()) break;
    std::size_t equals = part.find('=');
    std::string name = part.substr(0, equals);
    std::int64_t extent = 0;
    if (equals == std::string::npos || !parse_number(part.substr(equals + 1), extent))
      return error("cli.shape", "--shape: \"" + part + "\" is not NAME=INTEGER");
    if (std::find(definition.dims.begin(), definition.dims.end(), name) == definition.dims.end())
      return error("cli.shape",
                   "--shape: " + definition.name + " has no dim " + name + "; its dims are " + listed(definition.dims));
    if (extent < 0) return error("cli.shape", "--shape: " + name + " is negative");
    if (!dims.emplace(name, extent).second) return error("cli.shape", "--shape: " + name + " is given twice");
  }
  std::vector<std::string> absent;
  for (const std::string& d : definition.dims)
    if (!dims.contains(d)) absent.push_back(d);
  if (!absent.empty()) return error("cli.shape", "--shape: no size for " + listed(absent));
  return dims;
}

Result<std::map<std::string, double>> parse_scalars(const std::vector<std::string>& settings,
                                                    const Definition& definition) {
  std::map<std::string, double> scalars;
  for (const std::string& part : settings) {
    std::size_t equals = part.find('=');
    std::string name = part.substr(0, equals);
    double value = 0;
    if (equals == std::string::npos || !parse_number(part.substr(equals + 1), value))
      return error("cli.set", "--set: \"" + part + "\" is not NAME=NUMBER");
    std::vector<std::string> names;
    bool integer = false;
    for (const ScalarDecl& s : definition.scalars) {
      names.push_back(s.name);
      if (s.name == name) integer = !s.type.generic && !is_float(s.type.fixed);
    }
    if (std::find(names.begin(), names.end(), name) == names.end())
      return error("cli.set",
                   "--set: " + definition.name + " has no scalar " + name + "; its scalars are " + listed(names));
    if (integer && value != std::floor(value)) return error("cli.set", "--set: " + name + " is an integer");
    if (!scalars.emplace(name, value).second) return error("cli.set", "--set: " + name + " is given twice");
  }
  return scalars;
}

Result<std::map<std::string, std::string>> parse_choices(const std::string& text) {
  std::map<std::string, std::string> choices;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size())
      return error("cli.plan", "--plan: \"" + part + "\" is not PARAM=VALUE");
    if (!choices.emplace(part.substr(0, equals), part.substr(equals + 1)).second)
      return error("cli.plan", "--plan: " + part.substr(0, equals) + " is given twice");
  }
  return choices;
}

Result<CompilerProfile> find_profile(const std::string& file_or_name) {
  if (file_or_name.empty()) return CompilerProfile{};
  std::error_code ignored;
  if (fs::is_regular_file(file_or_name, ignored)) return load_profile(file_or_name);
  fs::path in_atlas = atlas_dir() / "profiles" / (file_or_name + ".json");
  if (file_or_name.find('/') == std::string::npos && fs::is_regular_file(in_atlas, ignored))
    return load_profile(in_atlas.string());
  return error("cli.no-profile", "neither a file nor a profile of the atlas", {file_or_name, 0, 0, 0});
}

std::string table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& h : header) widths.push_back(width_of(h));
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width_of(row[k]));
  std::string out;
  auto line = [&](const std::vector<std::string>& row, bool head) {
    std::string text;
    for (std::size_t k = 0; k < row.size(); ++k) {
      std::string pad(widths[k] - width_of(row[k]), ' ');
      bool right = !head && is_number(row[k]);
      text += (k > 0 ? "  " : "") + (right ? pad + row[k] : row[k] + pad);
    }
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  line(header, true);
  for (const auto& row : rows) line(row, false);
  return out;
}

} // namespace aicf::cli
