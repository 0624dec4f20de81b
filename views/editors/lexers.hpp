// Highlighting: the operator language by the engine's own lexer, CUDA, JSON and the profile's text form.
#pragma once
#include "views/editors/code_editor.hpp"

#include <memory>

namespace aicf::views {

/// For an editor of that language, in the colours of the theme; nullptr for none.
[[nodiscard]] QsciLexer* makeLexer(CodeEditor::Language language, QObject* parent);

/// Ranges of one kind in a text of the operator language, in bytes of its UTF-8; what lies between is plain.
struct StyledRange {
  enum class Kind { plain, comment, keyword, reducer, function, type, number, symbol, name } kind = Kind::plain;
  std::size_t offset = 0, length = 0;
};
[[nodiscard]] std::vector<StyledRange> styleOperatorText(const std::string& text);

} // namespace aicf::views
