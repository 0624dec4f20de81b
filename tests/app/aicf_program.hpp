// Running aicf as a person does, with an evidence store and files of its own.
#pragma once
#include "tests/support/paths.hpp"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

namespace aicf::test {

inline const QString program = binaryFile("bin/aicf");

struct Ran {
  int status = -1;
  QByteArray out, err;
  [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

class AicfProgram {
 public:
  Ran run(const QStringList& arguments, const QByteArray& input = {}) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("AICF_STORE", directory_.filePath("evidence.sqlite"));
    environment.insert("AICF_ATLAS", sourceFile("atlas"));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(directory_.path());
    process.start(program, arguments);
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(200000)) return {};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
            process.readAllStandardError()};
  }

  /// Writes it; its path.
  QString file(const QString& name, const QByteArray& text) {
    QFile f(directory_.filePath(name));
    if (!f.open(QIODevice::WriteOnly)) return {};
    f.write(text);
    return f.fileName();
  }

 protected:
  QTemporaryDir directory_;
};

} // namespace aicf::test
