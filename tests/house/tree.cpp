#include "tests/house/tree.hpp"

#include "tests/support/paths.hpp"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

using aicf::test::sourceFile;

namespace house {

QStringList files(const QStringList& folders, const QStringList& endings) {
  const QDir root(sourceFile());
  QStringList out;
  for (const QString& folder : folders) {
    QDirIterator it(root.filePath(folder), QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) {
      const QString path = root.relativeFilePath(it.next());
      for (const QString& ending : endings)
        if (path.endsWith(ending)) out << path;
    }
  }
  out.sort();
  return out;
}

QString text(const QString& path) {
  QFile file(QDir(sourceFile()).filePath(path));
  if (!file.open(QIODevice::ReadOnly)) {
    QTest::qFail(qPrintable("cannot read " + path), __FILE__, __LINE__);
    return {};
  }
  return QString::fromUtf8(file.readAll());
}

QList<Include> includes(const QString& file) {
  static const QRegularExpression form(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
  QList<Include> out;
  int line = 0;
  for (const QString& row : text(file).split('\n')) {
    ++line;
    const auto match = form.match(row);
    if (match.hasMatch()) out << Include{file, line, match.captured(2), match.captured(1) == "<"};
  }
  return out;
}

} // namespace house
