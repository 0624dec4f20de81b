#include "core/base/diagnostic.hpp"

#include <algorithm>

namespace aicf {

Diagnostic error(std::string code, std::string message, Span at, std::string hint) {
  return {Diagnostic::Severity::error, std::move(code), std::move(at), std::move(message), std::move(hint)};
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
}

namespace {

/// Line `line` (1-based) of `source`, control characters shown as spaces, cut around `column` when very long.
struct Excerpt {
  std::string text;
  int column = 1;
};

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

Excerpt excerpt(std::string_view source, int line, int column) {
  std::size_t begin = 0;
  for (int l = 1; l < line; ++l) {
    begin = source.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  std::string_view text = source.substr(begin, std::min(source.find('\n', begin), source.size()) - begin);
  constexpr int around = 60;
  int first = std::max(1, column - around), seen = 0;
  Excerpt result;
  for (char c : text) {
    if (!continues(c)) ++seen;
    if (seen < first) continue;
    if (seen > column + around) break;
    result.text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  result.column = column - first + 1;
  return result;
}

} // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f)
      out += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    else
      out += c;
  }
  return out;
}

std::string format(const Diagnostic& d, std::string_view source) {
  static constexpr const char* words[] = {"error", "warning", "note"};
  std::string out;
  if (d.at.line > 0) {
    out = (d.at.file.empty() ? std::string("<text>") : printable(d.at.file)) + ":" + std::to_string(d.at.line) + ":" +
          std::to_string(d.at.column) + ": ";
  } else if (!d.at.file.empty()) {
    out = printable(d.at.file) + ": ";
  }
  out += words[static_cast<int>(d.severity)];
  out += ": " + printable(d.message);
  if (!source.empty() && d.at.line > 0) {
    Excerpt e = excerpt(source, d.at.line, d.at.column);
    if (!e.text.empty()) {
      out += "\n  " + e.text + "\n  " + std::string(static_cast<std::size_t>(std::max(0, e.column - 1)), ' ') + "^";
      int room = static_cast<int>(e.text.size()) - e.column;
      for (int i = 1; i < d.at.length && i <= room; ++i) out += '~';
    }
  }
  if (!d.hint.empty()) out += "\n  " + printable(d.hint);
  return out;
}

} // namespace aicf
