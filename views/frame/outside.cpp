#include "views/frame/outside.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace aicf::views {
namespace {
constexpr int restMs = 200; // editors write in several steps

std::optional<QString> contents(const QString& path) {
  QFile file(path);
  if (path.isEmpty() || !file.open(QIODevice::ReadOnly)) return std::nullopt;
  return QString::fromUtf8(file.readAll());
}
} // namespace

Outside::Outside(Workbench& workbench, QObject* parent) : QObject(parent), workbench_(workbench) {
  rest_.setSingleShot(true);
  rest_.setInterval(restMs);
  connect(&rest_, &QTimer::timeout, this, &Outside::look);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, &rest_, qOverload<>(&QTimer::start));
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, [this] {
    workbench_.library().load(workbench_.ownFiles());
    rest_.start();
  });
  connect(&workbench.subject(), &Subject::opened, this, &Outside::watch);
  connect(&workbench.subject(), &Subject::modifiedChanged, this, &Outside::watch);
  connect(&workbench.rules(), &Rules::filed, this, [this] {
    profileText_ = contents(workbench_.rules().path()).value_or(QString());
    watch();
  });
  watch();
}

void Outside::watch() {
  QStringList wanted;
  for (const QString& path : {workbench_.subject().path(), workbench_.rules().path(), workbench_.library().folder()})
    if (!path.isEmpty() && QFileInfo::exists(path)) wanted << path;
  const QStringList now = watcher_.files() + watcher_.directories();
  QStringList gone, fresh;
  for (const QString& path : now)
    if (!wanted.contains(path)) gone << path;
  for (const QString& path : wanted)
    if (!now.contains(path)) fresh << path;
  if (!gone.isEmpty()) watcher_.removePaths(gone);
  if (!fresh.isEmpty()) watcher_.addPaths(fresh);
}

void Outside::look() {
  lookAtOperator();
  lookAtProfile();
  watch(); // a file that was replaced is another file
}

void Outside::lookAtOperator() {
  const Subject& s = workbench_.subject();
  const auto text = contents(s.path());
  if (!text || *text == s.savedText()) return;
  const auto read = [this, path = s.path(), name = s.name(), text = *text] {
    if (workbench_.subject().path() == path) workbench_.subject().open(name, path, text);
  };
  if (!s.isModified()) {
    read();
    workbench_.library().load(workbench_.ownFiles());
    workbench_.say(tr("%1 changed outside and was read again.").arg(s.name()));
    return;
  }
  workbench_.notify({QStringLiteral("outside-op"),
                     tr("%1 was changed by another program, and you have changed it here.").arg(s.path()),
                     {{tr("Read the file"), tr("Loses what was typed here"), read}, {tr("Keep mine"), {}, {}}}});
}

void Outside::lookAtProfile() {
  Rules& rules = workbench_.rules();
  const auto text = contents(rules.path());
  if (!text || *text == profileText_) return;
  profileText_ = *text;
  const auto read = [this, path = rules.path()] {
    if (workbench_.rules().path() == path) workbench_.openProfile(path);
  };
  if (rules.undoStack().isClean()) {
    read();
    workbench_.say(tr("The profile changed outside and was read again."));
    return;
  }
  workbench_.notify({QStringLiteral("outside-profile"),
                     tr("%1 was changed by another program, and you have ticked rules here.").arg(rules.path()),
                     {{tr("Read the file"), tr("Loses the ticks made here"), read}, {tr("Keep mine"), {}, {}}}});
}

} // namespace aicf::views
