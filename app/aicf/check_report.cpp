#include "app/aicf/check_report.hpp"

#include "app/aicf/command.hpp"
#include "app/aicf/document.hpp"
#include "synth/workers/protocol.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

namespace aicf::cli {
namespace {

using nlohmann::json;

std::string line_of(const std::string& source, int line) {
  std::istringstream lines(source);
  std::string text;
  for (int i = 0; i < line && std::getline(lines, text); ++i) {
  }
  return text;
}

int line_in(const json& object, const char* key) {
  const json& line = member(object, key);
  return line.is_number_integer() ? static_cast<int>(std::clamp<std::int64_t>(line.get<std::int64_t>(), 0, 1 << 30))
                                  : 0;
}

/// "(1, 0, 0)"
std::string triple(const json& list) {
  std::string out;
  for (const json& one : list) out += (out.empty() ? "(" : ", ") + whole_in(one);
  return out + ")";
}

void print_finding(const json& f, const std::string& source) {
  const std::string kind = text_in(member(f, "kind"));
  Diagnostic d = error("check." + kind, kind + ": " + text_in(member(f, "message")),
                       {text_in(member(f, "file")), line_in(f, "line"), 0, 0});
  if (f.contains("thread"))
    d.hint = "thread " + triple(member(f, "thread")) + " of block " + triple(member(f, "block")) + " of " +
             text_in(member(f, "kernel")) + ", PTX line " + std::to_string(line_in(f, "ptx_line"));
  if (d.at.line > 0) {
    const std::size_t text = line_of(source, d.at.line).find_first_not_of(" \t");
    d.at.column = text == std::string::npos ? 1 : static_cast<int>(text) + 1;
  }
  std::cout << format(d, source) << "\n";
}

void print_lines(const json& lines, const std::string& source) {
  std::vector<std::vector<std::string>> rows;
  for (const json& l : lines) {
    const int number = line_in(l, "line");
    std::string text = line_of(source, number);
    if (std::size_t begin = text.find_first_not_of(" \t"); begin != std::string::npos) text = text.substr(begin, 60);
    rows.push_back({number == 0 ? "-" : std::to_string(number), whole_in(member(l, "warp_instructions")),
                    whole_in(member(l, "global_sectors")), whole_in(member(l, "shared_wavefronts")),
                    whole_in(member(l, "bank_conflicts")), text});
  }
  if (!rows.empty()) std::cout << table({"line", "warp instr.", "sectors", "wavefronts", "conflicts", "text"}, rows);
}

/// As a stream writes a number; texts ("inf", "nan") as they are.
std::string full(const json& value) {
  if (!value.is_number()) return text_in(value);
  std::ostringstream out;
  out << value.get<double>();
  return out.str();
}

void print_occupancy(const json& o) {
  const std::string arch = o["arch"].get<std::string>();
  if (o.contains("error"))
    std::cout << arch << ": " << o["error"].get<std::string>() << "\n";
  else
    std::cout << arch << ": " << o["registers"] << " registers, " << o["spill_bytes"] << " bytes of spills, "
              << o["warps"] << " warps on a multiprocessor (" << static_cast<int>(100 * o["fraction"].get<double>())
              << " %, limited by " << o["limiter"].get<std::string>() << ")\n";
}

} // namespace

void print_check(const json& document, const std::string& source, const json& occupancies) {
  const json& variant = member(document, "variant");
  for (const json& p : member(document, "parameters")) {
    const std::string how = text_in(member(p, "by"));
    std::cout << text_in(member(p, "type")) << " " << text_in(member(p, "name")) << " is "
              << text_in(member(p, "stands_for")) << (how == "name" ? "" : " (by " + how + ")") << "\n";
  }
  const json& modules = member(variant, "modules");
  const json& compile = modules.is_array() && !modules.empty() ? member(modules.back(), "compile") : modules;
  std::cout << text_in(member(document, "entry")) << ", " << text_in(member(document, "dtype")) << ": "
            << whole_in(member(compile, "registers")) << " registers, " << whole_in(member(compile, "shared_bytes"))
            << " bytes of shared memory, " << whole_in(member(compile, "spill_bytes")) << " of spills\n";
  for (const json& o : occupancies) print_occupancy(o);
  print_lines(member(document, "lines"), source);
  for (const json& m : member(variant, "time_us"))
    if (member(m, "value").is_null())
      std::cout << text_in(member(m, "id")) << " not measured: " << text_in(member(m, "method")) << "\n";
    else
      std::cout << text_in(member(m, "id")) << " " << full(member(m, "value")) << " " << text_in(member(m, "unit"))
                << " (" << full(member(m, "lo")) << " to " << full(member(m, "hi")) << ", "
                << text_in(member(m, "method")) << ")\n";
  for (const json& note : member(document, "notes")) std::cout << "note: " << text_in(note) << "\n";
  for (const json& f : member(document, "findings")) print_finding(f, source);
  const json& validation = member(variant, "validation");
  const json& checks = member(validation, "checks");
  const auto good =
      std::count_if(checks.begin(), checks.end(), [](const json& c) { return member(c, "passed") == true; });
  std::cout << (member(document, "passed") == true ? "PASSED" : "FAILED") << " " << text_in(member(variant, "id"))
            << ": " << good << " of " << checks.size() << " checks, largest relative error "
            << full(member(validation, "max_rel_err")) << ", bound " << full(member(validation, "bound"))
            << " (of the definition, for any order of summation)\n";
}

} // namespace aicf::cli
