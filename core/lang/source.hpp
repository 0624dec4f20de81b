// A text with its name, and the way from byte offsets to places that people read. Problems are collected by offset and
// become Diagnostics once, at the end, in order of their places.
#pragma once
#include "core/base/diagnostic.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aicf::lang {

/// Bytes [offset, offset + length) of a Source.
struct Place {
  std::uint32_t offset = 0, length = 0;
  [[nodiscard]] std::uint32_t end() const { return offset + length; }
};

[[nodiscard]] inline Place join(Place a, Place b) {
  std::uint32_t first = a.offset < b.offset ? a.offset : b.offset;
  return {first, (a.end() > b.end() ? a.end() : b.end()) - first};
}

/// Line and column of any offset in near-constant time: lines by binary search, columns by a count of code points kept
/// at every 256 bytes. Bytes that are not UTF-8 count as a code point each, unless they look like continuations; a byte
/// order mark counts as none.
class Source {
 public:
  static constexpr std::size_t limit = 1U << 28U; ///< bytes; longer texts are refused by whoever reads them

  Source(std::string_view text, std::string_view file);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(Place at) const { return text_.substr(at.offset, at.length); }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] Span span(Place at) const;         ///< of the part on the first line
  [[nodiscard]] std::string where(Place at) const; ///< "12:5"

 private:
  [[nodiscard]] std::uint32_t code_points(std::uint32_t offset) const; ///< before `offset`

  std::string_view text_;
  std::string file_;
  std::vector<std::uint32_t> lines_;  ///< offset of each line's first byte
  std::vector<std::uint32_t> blocks_; ///< code points before each block of 256 bytes
};

class Problems {
 public:
  explicit Problems(const Source& source) : source_(&source) {}

  void error(std::string code, Place at, std::string message, std::string hint = {});
  void warning(std::string code, Place at, std::string message, std::string hint = {});
  [[nodiscard]] std::size_t errors() const { return errors_; }
  [[nodiscard]] const Source& source() const { return *source_; }

  /// Forgets what came after a count of problems: for work that is tried and then done again.
  struct Mark {
    std::size_t found = 0, errors = 0;
  };
  [[nodiscard]] Mark mark() const { return {found_.size(), errors_}; }
  void rewind(Mark mark);

  /// In order of places, one a place and code; at most 1,000 errors, then how many more there are.
  [[nodiscard]] std::vector<Diagnostic> diagnostics() const;

 private:
  struct Problem {
    Diagnostic::Severity severity;
    std::string code;
    Place at;
    std::string message, hint;
  };
  void add(Problem problem);

  const Source* source_;
  std::vector<Problem> found_;
  std::size_t errors_ = 0;
};

} // namespace aicf::lang
