#include "views/engine/library.hpp"

#include "core/base/atlas_path.hpp"
#include "core/expr/check.hpp"
#include "core/structure/structure.hpp"
#include "views/engine/text.hpp"

#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <exception>

namespace aicf::views {
namespace {

OperatorEntry readEntry(const QString& path) {
  OperatorEntry entry;
  entry.name = QFileInfo(path).completeBaseName();
  entry.path = path;
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    entry.problem = file.errorString();
    return entry;
  }
  entry.text = QString::fromUtf8(file.readAll());
  entry.summary = summaryOf(entry.text);
  return entry;
}

std::vector<OperatorEntry> readAll(const QString& folder, const QStringList& own, std::stop_token stop) {
  std::vector<OperatorEntry> entries;
  for (QDirIterator it(folder, {"*.op"}, QDir::Files, QDirIterator::Subdirectories);
       it.hasNext() && !stop.stop_requested();)
    entries.push_back(readEntry(it.next()));
  for (const QString& path : own)
    if (QFileInfo::exists(path)) entries.push_back(readEntry(path));
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return entries;
}

OperatorEntry analysed(OperatorEntry entry, std::stop_token stop) {
  entry.analysed = true;
  try {
    Result<Definition> parsed = parse_definition(entry.text.toStdString(), entry.path.toStdString());
    if (!parsed) {
      entry.problem = parsed.diagnostics.empty() ? QString() : qs(parsed.diagnostics.front().message);
      return entry;
    }
    const auto profile = analyze(canonicalize(std::make_shared<const Definition>(std::move(*parsed))), 1, stop);
    entry.structures = qs(profile.structures);
    entry.passesDefinition = profile.passes_definition;
    entry.passesBest = profile.passes_best;
  } catch (const std::exception& e) { // a fault of ours in one operator must not cost the window
    entry.problem = qs(e.what());
  }
  return entry;
}

} // namespace

QString summaryOf(const QString& text) {
  QString summary;
  for (const QString& raw : text.split('\n')) {
    const QString line = raw.trimmed();
    if (line.startsWith('#')) {
      if (summary.isEmpty()) summary = line.mid(1).trimmed();
    } else if (!line.isEmpty()) {
      break;
    }
  }
  return summary;
}

Library::Library(QObject* parent) : QObject(parent), reading_(this), analysing_(this) {}
Library::~Library() = default;

QString Library::folder() const { return qs((atlas_dir() / "ops").string()); }

void Library::load(const QStringList& own) {
  analysing_.cancel();
  reading_.request([folder = folder(), own](std::stop_token stop) { return readAll(folder, own, stop); },
                   [this](std::vector<OperatorEntry> entries) {
                     entries_ = std::move(entries);
                     pending_ = entries_.size();
                     next_ = 0;
                     loaded_ = true;
                     Q_EMIT loaded();
                     analyseNext();
                   });
}

void Library::analyseNext() {
  if (next_ >= entries_.size()) return;
  const std::size_t index = next_;
  analysing_.request([entry = entries_[index]](std::stop_token stop) { return analysed(entry, stop); },
                     [this, index](OperatorEntry entry) {
                       entries_[index] = std::move(entry);
                       ++next_;
                       --pending_;
                       Q_EMIT entryChanged(int(index));
                       analyseNext();
                     });
}

const OperatorEntry* Library::find(const QString& name) const {
  const auto it = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e.name == name; });
  return it == entries_.end() ? nullptr : &*it;
}

} // namespace aicf::views
