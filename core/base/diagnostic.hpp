// Errors by whose fault they are: bad input is a list of Diagnostic values (all of them, with places), what the machine
// lacks is Unavailable (exit status 3), and a broken invariant of our own throws std::logic_error.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aicf {

/// A place in a text: 1-based line and column (columns count code points), length in code points. line 0: no place.
struct Span {
  std::string file;
  int line = 0, column = 0, length = 0;
  bool operator==(const Span&) const = default;
};

struct Diagnostic {
  enum class Severity { error, warning, note } severity = Severity::error;
  std::string code; ///< stable, e.g. "lang.unknown-name"
  Span at;
  std::string message, hint;
};

struct Unavailable {
  std::string what, how_to_get;
};

/// A value, or why there is none. Warnings may accompany a value.
template <class T> struct Result {
  std::optional<T> value;
  std::vector<Diagnostic> diagnostics;
  std::optional<Unavailable> missing;

  Result() = default;
  Result(T v) : value(std::move(v)) {} // NOLINT(google-explicit-constructor): a value is a result
  Result(Diagnostic d) { diagnostics.push_back(std::move(d)); }    // NOLINT
  Result(std::vector<Diagnostic> d) : diagnostics(std::move(d)) {} // NOLINT
  Result(Unavailable m) : missing(std::move(m)) {}                 // NOLINT

  explicit operator bool() const { return value.has_value(); }
  T& operator*() { return *value; }
  const T& operator*() const { return *value; }
  T* operator->() { return &*value; }
  const T* operator->() const { return &*value; }
  /// The same failure for another type of value.
  template <class U> [[nodiscard]] Result<U> failure() const {
    Result<U> r;
    r.diagnostics = diagnostics;
    r.missing = missing;
    return r;
  }
};

[[nodiscard]] Diagnostic error(std::string code, std::string message, Span at = {}, std::string hint = {});
[[nodiscard]] bool has_errors(const std::vector<Diagnostic>& diagnostics);

/// The text without what a terminal would obey: control characters other than line ends and tabs as \x1b.
[[nodiscard]] std::string printable(std::string_view text);

/// "file:line:col: error: message", all of it printable, then, when `source` is given, the line and a caret, then the
/// hint.
[[nodiscard]] std::string format(const Diagnostic& diagnostic, std::string_view source = {});

} // namespace aicf
