#include "views/engine/atlas_texts.hpp"

#include "core/base/atlas_path.hpp"
#include "views/engine/text.hpp"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace aicf::views {
namespace {

struct Source {
  const char *kind, *list, *summary;
};
constexpr Source sources[] = {{"structure", "structures", "statement"},
                              {"property", "properties", "definition"},
                              {"transformation", "transformations", "why"},
                              {"primitive", "primitives", "why"}};

std::vector<AtlasText> readAll() {
  std::vector<AtlasText> out;
  for (const Source& s : sources) {
    QFile file(qs((atlas_dir() / (std::string(s.list) + ".json")).string()));
    if (!file.open(QIODevice::ReadOnly)) continue;
    const QJsonObject document = QJsonDocument::fromJson(file.readAll()).object();
    for (const QJsonValue& value : document.value(QLatin1String(s.list)).toArray()) {
      const QJsonObject entry = value.toObject();
      out.push_back({QString::fromLatin1(s.kind), entry.value("id").toString(), entry.value("title").toString(),
                     entry.value(QLatin1String(s.summary)).toString()});
    }
  }
  return out;
}

} // namespace

const std::vector<AtlasText>& atlasTexts() {
  static const std::vector<AtlasText> texts = readAll();
  return texts;
}

QString titleOf(const QString& kind, const QString& id) {
  for (const AtlasText& t : atlasTexts())
    if (t.kind == kind && t.id == id) return t.title;
  return QString(id).replace('_', ' ');
}

} // namespace aicf::views
