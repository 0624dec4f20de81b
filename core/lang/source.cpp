#include "core/lang/source.hpp"

#include <algorithm>

namespace aicf::lang {
namespace {

constexpr std::uint32_t block = 256;
constexpr std::size_t most_errors = 1000;
constexpr std::size_t most_kept = 20000; // beyond it problems are only counted

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

} // namespace

Source::Source(std::string_view text, std::string_view file) : text_(text.substr(0, limit)), file_(file) {
  lines_.push_back(0);
  std::uint32_t points = 0;
  for (std::uint32_t i = 0; i < text_.size(); ++i) {
    if (i % block == 0) blocks_.push_back(points);
    if (!continues(text_[i])) ++points;
    if (text_[i] == '\n') lines_.push_back(i + 1);
  }
  blocks_.push_back(points);
}

std::uint32_t Source::code_points(std::uint32_t offset) const {
  std::uint32_t points = blocks_[offset / block];
  for (std::uint32_t i = offset - offset % block; i < offset && i < text_.size(); ++i)
    if (!continues(text_[i])) ++points;
  if (offset >= 3 && text_.starts_with("\xef\xbb\xbf")) --points;
  return points;
}

Span Source::span(Place at) const {
  auto size = static_cast<std::uint32_t>(text_.size());
  std::uint32_t begin = std::min(at.offset, size), end = std::min(at.end(), size);
  auto line = std::upper_bound(lines_.begin(), lines_.end(), begin);
  if (line != lines_.end()) end = std::max(begin, std::min(end, *line - 1));
  std::uint32_t start = *std::prev(line), first = code_points(begin);
  Span span;
  span.file = file_;
  span.line = static_cast<int>(line - lines_.begin());
  span.column = static_cast<int>(first - code_points(start)) + 1;
  span.length = static_cast<int>(code_points(end) - first);
  return span;
}

std::string Source::where(Place at) const {
  Span s = span(at);
  return std::to_string(s.line) + ":" + std::to_string(s.column);
}

void Problems::add(Problem problem) {
  if (problem.severity == Diagnostic::Severity::error) ++errors_;
  if (found_.size() < most_kept) found_.push_back(std::move(problem));
}

void Problems::error(std::string code, Place at, std::string message, std::string hint) {
  add({Diagnostic::Severity::error, std::move(code), at, std::move(message), std::move(hint)});
}

void Problems::warning(std::string code, Place at, std::string message, std::string hint) {
  add({Diagnostic::Severity::warning, std::move(code), at, std::move(message), std::move(hint)});
}

void Problems::rewind(Mark mark) {
  found_.resize(std::min(mark.found, found_.size()));
  errors_ = mark.errors;
}

std::vector<Diagnostic> Problems::diagnostics() const {
  std::vector<const Problem*> order;
  for (const Problem& p : found_) order.push_back(&p);
  std::stable_sort(order.begin(), order.end(),
                   [](const Problem* a, const Problem* b) { return a->at.offset < b->at.offset; });
  std::vector<Diagnostic> list;
  std::size_t listed = 0;
  const Problem* last = nullptr;
  for (const Problem* p : order) {
    if (last != nullptr && last->at.offset == p->at.offset && last->code == p->code) continue;
    last = p;
    if (p->severity == Diagnostic::Severity::error && listed++ == most_errors) {
      list.push_back({Diagnostic::Severity::error, "lang.too-many", source_->span(p->at),
                      "and " + std::to_string(errors_ - most_errors) + " more errors", ""});
      break;
    }
    list.push_back({p->severity, p->code, source_->span(p->at), p->message, p->hint});
  }
  return list;
}

} // namespace aicf::lang
