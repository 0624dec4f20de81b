// Which words of a text became which: what a step of a derivation changed.
#pragma once
#include <QString>

#include <utility>
#include <vector>

namespace aicf::views {

using TextRanges = std::vector<std::pair<int, int>>; ///< position and length, ascending, not touching
struct ChangedWords {
  TextRanges before, after;
};
/// Names, numbers and signs that a longest common subsequence of the two leaves over. Texts beyond some thousand words
/// are marked whole.
[[nodiscard]] ChangedWords changedWords(const QString& before, const QString& after);

} // namespace aicf::views
