#include "core/exec/nvrtc_log.hpp"

#include <charconv>
#include <optional>

namespace aicf {
namespace {

template <class F> void each_line(std::string_view log, F visit) {
  while (!log.empty()) {
    std::size_t end = log.find('\n');
    visit(log.substr(0, end));
    if (end == std::string_view::npos) return;
    log.remove_prefix(end + 1);
  }
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

/// The integer that ends just before `word`, as in "42 registers".
std::optional<int> number_before(std::string_view line, std::string_view word) {
  std::size_t end = line.find(word);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return number(line.substr(begin, end - begin));
}

/// "NAME(12): error: text" or "NAME(12): warning #177-D: text".
std::optional<Diagnostic> placed(std::string_view line, std::string_view program, const std::string& shown) {
  if (!line.starts_with(program) || line.size() <= program.size() || line[program.size()] != '(') return std::nullopt;
  std::string_view rest = line.substr(program.size() + 1);
  std::size_t close = rest.find("): ");
  auto at = number(rest);
  if (!at || close == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(close + 3);
  std::size_t colon = rest.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view word = rest.substr(0, colon);
  Diagnostic d = error("nvrtc.source", std::string(rest.substr(colon + 2)), {shown, *at, 1, 0});
  if (word.starts_with("warning"))
    d.severity = Diagnostic::Severity::warning;
  else if (word.find("error") == std::string_view::npos)
    d.severity = Diagnostic::Severity::note;
  return d;
}

} // namespace

std::vector<Diagnostic> diagnostics_of(std::string_view log, std::string_view program, const std::string& shown) {
  std::vector<Diagnostic> out;
  each_line(log, [&](std::string_view line) {
    if (auto d = placed(line, program, shown)) {
      out.push_back(std::move(*d));
    } else if (std::size_t caret = line.find_first_not_of(' ');
               caret != std::string_view::npos && line.substr(caret) == "^" && !out.empty() && caret >= 2) {
      out.back().at.column = static_cast<int>(caret) - 1; // the excerpt above the caret is indented by two blanks
      out.back().at.length = 1;
    } else if (line.starts_with("ptxas") &&
               (line.find("error   :") != std::string_view::npos || line.find("fatal   :") != std::string_view::npos)) {
      out.push_back(error("nvrtc.ptxas", std::string(line), {shown, 0, 0, 0}));
    } else if (line.starts_with("nvrtc: error: ")) {
      out.push_back(error("nvrtc.option", std::string(line.substr(14)), {shown, 0, 0, 0}));
    }
  });
  return out;
}

bool read_resources(std::string_view log, std::string_view entry, Compiled& out) {
  std::string head = "Compiling entry function '" + std::string(entry) + "' for";
  bool inside = false, seen = false;
  each_line(log, [&](std::string_view line) {
    if (line.find("Compiling entry function '") != std::string_view::npos)
      inside = line.find(head) != std::string_view::npos;
    if (!inside) return;
    if (auto stores = number_before(line, " bytes spill stores"))
      out.spill_bytes = *stores + number_before(line, " bytes spill loads").value_or(0);
    if (auto registers = number_before(line, " registers")) {
      out.registers = *registers;
      out.shared_bytes = number_before(line, " bytes smem").value_or(0);
      seen = true;
    }
  });
  return seen;
}

std::string without_times(std::string_view log) {
  std::string out;
  each_line(log, [&](std::string_view line) {
    if (line.find("Compile time = ") != std::string_view::npos) return;
    out += line;
    out += '\n';
  });
  return out;
}

} // namespace aicf
