// The tokens of a text as a parser meets them: line ends are invisible inside brackets, names are interned, and a
// statement's first error is its only one.
#pragma once
#include "core/lang/ast.hpp"
#include "core/lang/lexer.hpp"

#include <initializer_list>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace aicf::lang {

class TokenStream {
 public:
  using Kind = Token::Kind;

  TokenStream(const Source& source, Problems& problems);

  [[nodiscard]] const Token& peek();  ///< the next token; skips line ends inside brackets
  [[nodiscard]] const Token& after(); ///< the one after it
  Token take();
  [[nodiscard]] std::string_view text(const Token& token) const { return source_->text(token.at); }
  [[nodiscard]] bool at_word(std::string_view word);
  bool take_if(Kind kind);
  [[nodiscard]] Place last() const { return last_; } ///< place of the token taken last

  void open(const Token& bracket) { open_.push_back(bracket.at); }
  void close() { open_.pop_back(); }

  NameId intern(std::string_view word);
  [[nodiscard]] std::vector<std::string_view>& names() { return names_; }
  [[nodiscard]] bool is_op(std::string_view word) const { return ops_.contains(word); }
  [[nodiscard]] bool is_reducer(std::string_view word) const {
    return is_builtin_reducer(word) || reducers_.contains(word);
  }
  [[nodiscard]] const std::unordered_set<std::string_view>& ops() const { return ops_; }
  [[nodiscard]] const std::unordered_set<std::string_view>& reducers() const { return reducers_; }

  /// Reports that `what` was expected where the next token is; mentions the innermost open bracket.
  void expected(std::string_view what, std::string hint = {});
  void fail(std::string code, Place at, std::string message, std::string hint = {});
  /// Skips to the start of the next statement, operator or reducer.
  void recover();

  Problems& problems() { return *problems_; }

 private:
  [[nodiscard]] bool starts_statement(std::size_t token) const;
  [[nodiscard]] std::string describe(const Token& token) const;

  const Source* source_;
  Problems* problems_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  Place last_;
  std::vector<Place> open_;
  std::unordered_map<std::string_view, NameId> ids_;
  std::vector<std::string_view> names_;
  std::unordered_set<std::string_view> ops_, reducers_; ///< declared anywhere in the text
};

} // namespace aicf::lang
