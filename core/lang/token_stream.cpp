#include "core/lang/token_stream.hpp"

namespace aicf::lang {

TokenStream::TokenStream(const Source& source, Problems& problems)
    : source_(&source), problems_(&problems), tokens_(lex(source, problems)) {
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i].kind != Kind::name || tokens_[i + 1].kind != Kind::name) continue;
    if (text(tokens_[i]) == "op") ops_.insert(text(tokens_[i + 1]));
    if (text(tokens_[i]) == "reducer") reducers_.insert(text(tokens_[i + 1]));
  }
}

const Token& TokenStream::peek() {
  while (!open_.empty() && tokens_[next_].kind == Kind::newline) ++next_;
  return tokens_[next_];
}

const Token& TokenStream::after() {
  (void)peek();
  std::size_t i = next_ + 1;
  while (i + 1 < tokens_.size() && !open_.empty() && tokens_[i].kind == Kind::newline) ++i;
  return tokens_[std::min(i, tokens_.size() - 1)];
}

Token TokenStream::take() {
  Token token = peek();
  if (token.kind != Kind::end) ++next_;
  last_ = token.at;
  return token;
}

bool TokenStream::at_word(std::string_view word) { return peek().kind == Kind::name && text(peek()) == word; }

bool TokenStream::take_if(Kind kind) {
  if (peek().kind != kind) return false;
  take();
  return true;
}

NameId TokenStream::intern(std::string_view word) {
  auto [it, fresh] = ids_.try_emplace(word, static_cast<NameId>(names_.size()));
  if (fresh) names_.push_back(word);
  return it->second;
}

std::string TokenStream::describe(const Token& token) const {
  switch (token.kind) {
  case Kind::end: return "the end of the text";
  case Kind::newline: return "the end of the line";
  default: break;
  }
  constexpr std::size_t longest = 40;
  std::string_view word = text(token);
  return word.size() <= longest ? "'" + std::string(word) + "'" : "'" + std::string(word.substr(0, longest)) + "…'";
}

void TokenStream::expected(std::string_view what, std::string hint) {
  const Token& token = peek();
  if (token.kind == Kind::invalid) return; // reported by the lexer
  bool bracket_hint = !open_.empty() && hint.empty();
  if (bracket_hint)
    hint = "'" + std::string(source_->text(open_.back())) + "' was opened at " + source_->where(open_.back());
  else if (open_.empty() && hint.empty() && token.kind == Kind::newline)
    hint = "a statement continues on the next line only inside brackets";
  problems_->error("lang.syntax", token.at, std::string(what) + " expected before " + describe(token), std::move(hint));
}

void TokenStream::fail(std::string code, Place at, std::string message, std::string hint) {
  problems_->error(std::move(code), at, std::move(message), std::move(hint));
}

/// A line that begins like `name =`, `name[…] =`, `op` or `reducer`.
bool TokenStream::starts_statement(std::size_t i) const {
  if (tokens_[i].kind == Kind::end) return true;
  if (tokens_[i].kind != Kind::name) return false;
  std::string_view word = text(tokens_[i]);
  if (word == "op" || word == "reducer") return true;
  if (is_keyword(word)) return false;
  if (tokens_[i + 1].kind == Kind::assign) return true;
  if (tokens_[i + 1].kind != Kind::open_square) return false;
  int depth = 0;
  for (++i; tokens_[i].kind != Kind::newline && tokens_[i].kind != Kind::end; ++i) {
    if (tokens_[i].kind == Kind::open_square) ++depth;
    if (tokens_[i].kind == Kind::close_square && --depth == 0) return tokens_[i + 1].kind == Kind::assign;
  }
  return false;
}

void TokenStream::recover() {
  open_.clear();
  bool first_on_line = next_ == 0 || tokens_[next_ - 1].kind == Kind::newline;
  if (first_on_line && starts_statement(next_) && tokens_[next_].at.offset != last_.offset) return;
  while (tokens_[next_].kind != Kind::end) {
    if (tokens_[next_++].kind == Kind::newline && starts_statement(next_)) return;
  }
}

} // namespace aicf::lang
