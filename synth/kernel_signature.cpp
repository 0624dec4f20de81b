#include "synth/kernel_signature.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

namespace aicf {
namespace {

struct Token {
  std::string_view text;
  std::size_t at = 0;
};

bool word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_word(const Token& t) { return !t.text.empty() && word_character(t.text.front()); }

/// Words, strings and single characters; comments and preprocessor lines are left out.
std::vector<Token> tokens_of(std::string_view s) {
  std::vector<Token> out;
  bool line_start = true;
  for (std::size_t i = 0; i < s.size();) {
    const char c = s[i];
    std::size_t end = i + 1;
    if (c == '\n') {
      line_start = true;
    } else if (line_start && c == '#') {
      while (end < s.size() && (s[end] != '\n' || s[end - 1] == '\\')) ++end;
    } else if (s.substr(i, 2) == "//") {
      end = std::min(s.find('\n', i), s.size());
    } else if (s.substr(i, 2) == "/*") {
      const std::size_t close = s.find("*/", i + 2);
      end = close == std::string_view::npos ? s.size() : close + 2;
    } else if (c == '"' || c == '\'') {
      while (end < s.size() && s[end] != c) end += s[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, s.size());
      out.push_back({s.substr(i, end - i), i});
      line_start = false;
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      while (word_character(c) && end < s.size() && word_character(s[end])) ++end;
      out.push_back({s.substr(i, end - i), i});
      line_start = false;
    }
    i = end;
  }
  return out;
}

Span place(std::string_view source, const std::string& file, const Token& t) {
  const std::string_view before = source.substr(0, t.at);
  const auto line = std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? t.at : t.at - newline - 1;
  return {file, static_cast<int>(line) + 1, static_cast<int>(column) + 1, static_cast<int>(t.text.size())};
}

/// Of the bracket at `open`; the number of tokens when it is never closed.
std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].text == "(") ++depth;
    if (tokens[i].text == ")" && --depth == 0) return i;
  }
  return tokens.size();
}

std::optional<DType> element_type(const std::string& type, bool pointer) {
  static const std::vector<std::pair<DType, std::set<std::string>>> names{
      {DType::f32, {"float"}},
      {DType::f64, {"double"}},
      {DType::f16, {"half", "__half"}},
      {DType::bf16, {"__nv_bfloat16", "nv_bfloat16"}},
      {DType::i8, {"char", "signed char", "int8_t"}},
      {DType::i32, {"int", "unsigned", "unsigned int", "signed", "signed int", "int32_t", "uint32_t"}},
      {DType::i64,
       {"long", "long int", "unsigned long", "long long", "unsigned long long", "int64_t", "uint64_t", "size_t",
        "ptrdiff_t", "std::size_t"}},
      {DType::boolean, {"bool", "unsigned char", "uint8_t"}}};
  static const std::vector<std::pair<DType, std::set<std::string>>> vectors{
      {DType::f32, {"float2", "float4"}}, {DType::f64, {"double2"}},
      {DType::f16, {"half2", "__half2"}}, {DType::bf16, {"__nv_bfloat162", "nv_bfloat162"}},
      {DType::i32, {"int2", "int4"}},     {DType::i8, {"char4"}}};
  for (const auto& [dtype, spellings] : names)
    if (spellings.contains(type)) return dtype;
  if (pointer)
    for (const auto& [dtype, spellings] : vectors)
      if (spellings.contains(type)) return dtype;
  return std::nullopt;
}

std::optional<KernelParameter> parameter(std::string_view source, const std::string& file, std::vector<Token> tokens) {
  static const std::set<std::string_view> qualifiers{
      "const", "volatile", "__restrict__", "__restrict", "__grid_constant__", "struct", "restrict"};
  KernelParameter p;
  bool constant = false;
  std::vector<Token> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view t = tokens[i].text;
    if (t == "=") break; // a default value
    if (t == "[") {
      p.pointer = true, p.constant = constant;
      break;
    }
    if (t == "*") {
      if (!p.pointer) p.constant = constant;
      p.pointer = true;
    } else if (t == "const") {
      constant = constant || !p.pointer;
    } else if (!qualifiers.contains(t)) {
      words.push_back(tokens[i]);
    }
  }
  if (words.size() < 2 || !is_word(words.back())) return std::nullopt;
  p.name = words.back().text;
  p.at = place(source, file, words.back());
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool blank = i > 0 && is_word(words[i]) && is_word(words[i - 1]);
    p.type += (blank ? " " : "") + std::string(words[i].text);
  }
  p.dtype = element_type(p.type, p.pointer);
  return p;
}

} // namespace

Result<KernelSignature> kernel_signature(std::string_view source, const std::string& entry, const std::string& file) {
  const std::vector<Token> tokens = tokens_of(source);
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text != "__global__") continue;
    // to the name: the word before the first parenthesis that belongs to no attribute
    std::size_t name = i + 1;
    for (; name + 1 < tokens.size() && tokens[name].text != ";" && tokens[name].text != "{"; ++name) {
      if (tokens[name + 1].text != "(") continue;
      if (tokens[name].text != "__launch_bounds__" && !tokens[name].text.starts_with("__cluster_dims__") &&
          !tokens[name].text.starts_with("__maxnreg__") && !tokens[name].text.starts_with("__attribute__"))
        break;
      name = closing(tokens, name + 1);
    }
    if (name + 1 >= tokens.size() || tokens[name + 1].text != "(") continue;
    const std::size_t end = closing(tokens, name + 1);
    if (end + 1 >= tokens.size() || tokens[end + 1].text == ";") continue; // a declaration
    if (std::find(seen.begin(), seen.end(), tokens[name].text) == seen.end()) seen.emplace_back(tokens[name].text);
    if (tokens[name].text != entry) continue;

    KernelSignature signature;
    signature.at = place(source, file, tokens[name]);
    signature.global_at = tokens[i].at;
    for (std::size_t k = i; k-- > 0 && tokens[k].text != ";" && tokens[k].text != "}";) {
      if (tokens[k].text == "\"C\"") signature.plain_name = true;
      if (tokens[k].text == "template")
        return error("check.template", "'" + entry + "' is a template, which has no parameters of its own yet",
                     signature.at, "add a kernel that is not one and calls its body, and give that one's name");
    }
    std::vector<Token> one;
    int depth = 0;
    for (std::size_t k = name + 2; k <= end; ++k) {
      const std::string_view t = tokens[k].text;
      if ((t == "," && depth == 0) || k == end) {
        const bool nothing = one.empty() || (one.size() == 1 && one.front().text == "void");
        if (nothing && k == end) break;
        auto p = parameter(source, file, std::move(one));
        if (!p)
          return error("check.parameter",
                       "parameter " + std::to_string(signature.parameters.size() + 1) + " of '" + entry +
                           "' cannot be read: a type and a name are needed",
                       signature.at);
        signature.parameters.push_back(std::move(*p));
        one.clear();
        continue;
      }
      if (t == "(" || t == "<") ++depth;
      if (t == ")" || t == ">") --depth;
      one.push_back(tokens[k]);
    }
    return signature;
  }
  std::string listed;
  for (const std::string& s : seen) listed += (listed.empty() ? "" : ", ") + s;
  return error("check.no-entry", "no __global__ function '" + entry + "' is defined here", {file, 0, 0, 0},
               listed.empty() ? "there is no kernel at all" : "kernels here: " + listed);
}

std::string with_plain_name(const std::string& source, const KernelSignature& signature) {
  if (signature.plain_name) return source;
  return source.substr(0, signature.global_at) + "extern \"C\" " + source.substr(signature.global_at);
}

} // namespace aicf
