#include "views/editors/lexers.hpp"

#include "core/base/dtype.hpp"
#include "core/lang/lexer.hpp"
#include "core/lang/words.hpp"
#include "views/frame/theme.hpp"

#include <algorithm>
#include <array>

namespace aicf::views {
namespace {

using Kind = StyledRange::Kind;

Kind kindOf(const lang::Token& token, std::string_view word) {
  using T = lang::Token::Kind;
  if (token.kind == T::integer || token.kind == T::real) return Kind::number;
  if (token.kind != T::name) return Kind::symbol;
  if (lang::is_builtin_reducer(word)) return Kind::reducer;
  if (lang::is_keyword(word)) return Kind::keyword;
  if (word == "float" || dtype_from(word)) return Kind::type;
  if (lang::function_from(word)) return Kind::function;
  if (lang::is_constant(word)) return Kind::number;
  return Kind::name;
}

constexpr std::array<const char*, 9> colors{"name", "comment", "keyword",  "keyword", "function",
                                            "type", "number",  "operator", "name"};

class OperatorLexer : public QsciLexerCustom {
 public:
  using QsciLexerCustom::QsciLexerCustom;
  [[nodiscard]] const char* language() const override { return "operator"; }
  [[nodiscard]] QString description(int style) const override {
    static const std::array<const char*, 9> names{"plain", "comment", "keyword", "reducer", "function",
                                                  "type",  "number",  "symbol",  "name"};
    return style >= 0 && style < int(names.size()) ? QString::fromLatin1(names[std::size_t(style)]) : QString();
  }
  void styleText(int /*start*/, int /*end*/) override {
    // Texts are small, and a bracket opened far above decides what a line is: style all of it.
    const std::string text = editor()->text().toStdString();
    startStyling(0);
    std::size_t at = 0;
    for (const StyledRange& r : styleOperatorText(text)) {
      if (r.offset > at) setStyling(int(r.offset - at), int(Kind::plain));
      setStyling(int(r.length), int(r.kind));
      at = r.offset + r.length;
    }
    if (at < text.size()) setStyling(int(text.size() - at), int(Kind::plain));
  }
};

/// CUDA C++: C++ with what CUDA adds.
class CudaLexer : public QsciLexerCPP {
 public:
  using QsciLexerCPP::QsciLexerCPP;
  [[nodiscard]] const char* keywords(int set) const override {
    if (set == 1)
      return "alignas asm auto bool break case char const constexpr continue default do double else enum extern false "
             "float for goto if inline int long namespace nullptr operator return short signed sizeof static "
             "static_assert struct switch template this true typedef typename union unsigned using void volatile while "
             "__global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ __launch_bounds__ "
             "__cluster_dims__";
    if (set == 2)
      return "threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp __shfl_sync __shfl_xor_sync "
             "__shfl_down_sync __shfl_up_sync __ballot_sync __any_sync __all_sync __activemask __ldg float2 float4 "
             "uint2 uint4 "
             "int2 int4 __half __half2 __nv_bfloat16 __nv_bfloat162 size_t int64_t uint64_t int32_t uint32_t uint16_t";
    return nullptr;
  }
};

/// `setting = value` lines with # comments.
class ProfileLexer : public QsciLexerCustom {
 public:
  using QsciLexerCustom::QsciLexerCustom;
  [[nodiscard]] const char* language() const override { return "profile"; }
  [[nodiscard]] QString description(int style) const override {
    return style == 0   ? QStringLiteral("value")
           : style == 1 ? QStringLiteral("comment")
           : style == 2 ? QStringLiteral("setting")
                        : QString();
  }
  void styleText(int /*start*/, int /*end*/) override {
    const QByteArray text = editor()->text().toUtf8();
    startStyling(0);
    for (qsizetype at = 0; at < text.size();) {
      qsizetype end = text.indexOf('\n', at);
      end = end < 0 ? text.size() : end + 1;
      const QByteArray line = text.mid(at, end - at);
      if (line.trimmed().startsWith('#')) {
        setStyling(int(line.size()), 1);
      } else {
        qsizetype word = 0;
        while (word < line.size() && !isspace(static_cast<unsigned char>(line[word])) && line[word] != '=') ++word;
        setStyling(int(word), 2);
        setStyling(int(line.size() - word), 0);
      }
      at = end;
    }
  }
};

void paintCpp(QsciLexer& lexer) {
  const Theme& t = theme();
  for (int style = 0; style < 128; ++style) lexer.setColor(t.color("name"), style);
  const auto set = [&](std::initializer_list<int> styles, const char* color) {
    for (const int s : styles) lexer.setColor(t.color(color), s);
  };
  using C = QsciLexerCPP;
  set({C::Comment, C::CommentLine, C::CommentDoc, C::CommentLineDoc, C::PreProcessorComment}, "comment");
  set({C::Keyword}, "keyword");
  set({C::KeywordSet2, C::GlobalClass}, "type");
  set({C::Number, C::UserLiteral}, "number");
  set({C::DoubleQuotedString, C::SingleQuotedString, C::RawString, C::UnclosedString}, "string");
  set({C::PreProcessor}, "preprocessor");
  set({C::Operator}, "operator");
}

void paintJson(QsciLexer& lexer) {
  const Theme& t = theme();
  for (int style = 0; style < 128; ++style) lexer.setColor(t.color("name"), style);
  using J = QsciLexerJSON;
  lexer.setColor(t.color("function"), J::Property);
  lexer.setColor(t.color("string"), J::String);
  lexer.setColor(t.color("number"), J::Number);
  lexer.setColor(t.color("keyword"), J::Keyword);
  lexer.setColor(t.color("operator"), J::Operator);
  lexer.setColor(t.color("bad"), J::Error);
}

} // namespace

std::vector<StyledRange> styleOperatorText(const std::string& text) {
  const lang::Source source(text, "");
  lang::Problems problems(source);
  std::vector<StyledRange> out;
  std::size_t at = 0;
  // The lexer drops comments: they are what lies between tokens from a # on.
  const auto comments = [&](std::size_t until) {
    while (at < until) {
      const std::size_t hash = text.find('#', at);
      if (hash == std::string::npos || hash >= until) return;
      const std::size_t end = std::min(text.find('\n', hash), text.size());
      out.push_back({Kind::comment, hash, end - hash});
      at = end;
    }
  };
  for (const lang::Token& token : lang::lex(source, problems)) {
    if (token.kind == lang::Token::Kind::end || token.kind == lang::Token::Kind::newline || token.at.length == 0)
      continue;
    comments(token.at.offset);
    out.push_back({kindOf(token, source.text(token.at)), token.at.offset, token.at.length});
    at = token.at.end();
  }
  comments(text.size());
  return out;
}

QsciLexer* makeLexer(CodeEditor::Language language, QObject* parent) {
  QsciLexer* lexer = nullptr;
  switch (language) {
  case CodeEditor::Language::none: return nullptr;
  case CodeEditor::Language::op: lexer = new OperatorLexer(parent); break;
  case CodeEditor::Language::cuda: lexer = new CudaLexer(parent); break;
  case CodeEditor::Language::json: lexer = new QsciLexerJSON(parent); break;
  case CodeEditor::Language::profile: lexer = new ProfileLexer(parent); break;
  }
  const Theme& t = theme();
  lexer->setDefaultFont(t.mono());
  lexer->setDefaultColor(t.color("name"));
  lexer->setDefaultPaper(t.color("editor"));
  lexer->setFont(t.mono());
  lexer->setPaper(t.color("editor"));
  if (language == CodeEditor::Language::cuda) paintCpp(*lexer);
  if (language == CodeEditor::Language::json) paintJson(*lexer);
  if (language == CodeEditor::Language::op)
    for (int s = 0; s < int(colors.size()); ++s) lexer->setColor(t.color(colors[std::size_t(s)]), s);
  if (language == CodeEditor::Language::profile) {
    lexer->setColor(t.color("string"), 0);
    lexer->setColor(t.color("comment"), 1);
    lexer->setColor(t.color("function"), 2);
  }
  if (language == CodeEditor::Language::op) {
    QFont bold = t.mono();
    bold.setBold(true);
    lexer->setFont(bold, int(Kind::reducer));
  }
  return lexer;
}

} // namespace aicf::views
