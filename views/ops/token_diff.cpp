#include "views/ops/token_diff.hpp"

#include <QRegularExpression>

#include <algorithm>

namespace aicf::views {
namespace {

constexpr std::size_t mostWords = 2000;

struct Word {
  int at, length;
  QStringView text;
};

std::vector<Word> wordsOf(const QString& text) {
  static const QRegularExpression word(QStringLiteral("[\\w.#@]+|[^\\s\\w]"),
                                       QRegularExpression::UseUnicodePropertiesOption);
  std::vector<Word> out;
  for (auto it = word.globalMatch(text); it.hasNext();) {
    const auto m = it.next();
    out.push_back({int(m.capturedStart()), int(m.capturedLength()), m.capturedView()});
  }
  return out;
}

/// Ranges of the words that are left over; neighbours with nothing but blanks between them are one.
TextRanges rangesOf(const std::vector<Word>& words, const std::vector<bool>& kept) {
  TextRanges out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (kept[i]) continue;
    if (!out.empty() && i > 0 && !kept[i - 1])
      out.back().second = words[i].at + words[i].length - out.back().first;
    else
      out.emplace_back(words[i].at, words[i].length);
  }
  return out;
}

} // namespace

ChangedWords changedWords(const QString& before, const QString& after) {
  const std::vector<Word> a = wordsOf(before), b = wordsOf(after);
  std::vector<bool> keptA(a.size(), false), keptB(b.size(), false);
  if (a.size() <= mostWords && b.size() <= mostWords) {
    // longest[i][j]: of the words from i and from j on.
    const std::size_t columns = b.size() + 1;
    std::vector<int> longest((a.size() + 1) * columns, 0);
    for (std::size_t i = a.size(); i-- > 0;)
      for (std::size_t j = b.size(); j-- > 0;)
        longest[i * columns + j] = a[i].text == b[j].text
                                       ? longest[(i + 1) * columns + j + 1] + 1
                                       : std::max(longest[(i + 1) * columns + j], longest[i * columns + j + 1]);
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i].text == b[j].text)
        keptA[i++] = keptB[j++] = true;
      else if (longest[(i + 1) * columns + j] >= longest[i * columns + j + 1])
        ++i;
      else
        ++j;
    }
  }
  return {rangesOf(a, keptA), rangesOf(b, keptB)};
}

} // namespace aicf::views
