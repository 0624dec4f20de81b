// The project's own files, as the house tests read them.
#pragma once
#include <QList>
#include <QString>
#include <QStringList>

namespace house {

/// Paths from the root of the tree of all files below `folders` that end in one of `endings`, sorted.
[[nodiscard]] QStringList files(const QStringList& folders, const QStringList& endings);
/// A file's text; fails the test, and gives nothing, when it cannot be read.
[[nodiscard]] QString text(const QString& path);

struct Include {
  QString file;
  int line;
  QString what; ///< without quotes or brackets
  bool system;  ///< in angle brackets
};
/// Every #include line of a file.
[[nodiscard]] QList<Include> includes(const QString& file);

} // namespace house
