#include "views/atlas/relations.hpp"

#include "core/base/atlas_path.hpp"
#include "core/semantics/atlas.hpp"
#include "core/semantics/legality.hpp"
#include "core/structure/properties/property.hpp"
#include "views/engine/text.hpp"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <fstream>
#include <set>

namespace aicf::views {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Relations", text); }

nlohmann::json document(const char* file, const char* list) {
  std::ifstream in(atlas_dir() / file);
  const nlohmann::json all = nlohmann::json::parse(in, nullptr, false);
  return all.is_object() && all.contains(list) ? all[list] : nlohmann::json::array();
}
QString textOf(const nlohmann::json& entry, const char* key) { return qs(entry.value(key, std::string())); }
QStringList listOf(const nlohmann::json& entry, const char* key) {
  return qs(entry.value(key, std::vector<std::string>()));
}

/// Where a law says nothing, it links nothing.
constexpr int shortestLaw = 5;

/// The word that a property goes by inside other texts: "associative" of "Associative carrier".
QString wordOf(const QString& propertyId) { return propertyId.section('_', 0, 0); }

bool names(const QString& text, const QString& word) {
  const QRegularExpression whole(QStringLiteral("\\b%1\\b").arg(QRegularExpression::escape(word)),
                                 QRegularExpression::CaseInsensitiveOption);
  return whole.match(text).hasMatch();
}

/// Why the property permits the transformation, or nothing.
QString permission(const std::string& propertyId, const PropertyText& p, const std::string& id,
                   const TransformationText& t) {
  const QString law = qs(t.law), own = qs(p.law);
  if (own.size() >= shortestLaw && law.contains(own)) return tr("its law: %1").arg(own);
  if (const QString word = wordOf(qs(propertyId)); names(qs(t.premises), word))
    return tr("its premises: %1").arg(qs(t.premises));
  const QString permits = qs(p.permits);
  if (const QString phrase = qs(id).replace('_', ' '); names(permits, phrase))
    return tr("the property permits: %1").arg(permits);
  return {};
}

void addProperties(std::vector<Relation>& out) {
  for (const Property& p : properties()) {
    const Entity property{QStringLiteral("property"), qs(p.id)};
    const PropertyText text = property_text(p.id);
    for (const Transformation& t : transformations())
      if (const QString why = permission(p.id, text, t.id, transformation_text(t.id)); !why.isEmpty())
        out.push_back({property, {QStringLiteral("transformation"), qs(t.id)}, why});
    for (const PrimitiveText& primitive : primitiveTexts())
      for (const QString& need : primitive.needs)
        if (need == property.id || need == wordOf(property.id))
          out.push_back({property, {QStringLiteral("primitive"), primitive.id}, tr("it needs: %1").arg(need)});
  }
}

void addPrimitives(std::vector<Relation>& out) {
  std::set<QString> structures;
  for (const auto& s : document("structures.json", "structures")) structures.insert(textOf(s, "id"));
  for (const PrimitiveText& p : primitiveTexts()) {
    const Entity primitive{QStringLiteral("primitive"), p.id};
    for (const QString& need : p.needs)
      if (structures.count(need) != 0)
        out.push_back({{QStringLiteral("structure"), need}, primitive, tr("it needs the structure")});
  }
}

} // namespace

const std::vector<PrimitiveText>& primitiveTexts() {
  static const std::vector<PrimitiveText> all = [] {
    std::vector<PrimitiveText> list;
    for (const auto& e : document("primitives.json", "primitives")) {
      PrimitiveText p{
          textOf(e, "id"),  textOf(e, "title"), textOf(e, "class"),  textOf(e, "before"),     textOf(e, "after"),
          textOf(e, "why"), listOf(e, "needs"), listOf(e, "params"), listOf(e, "references"), {}};
      if (e.contains("resources"))
        for (const auto& [key, value] : e["resources"].items())
          p.resources.emplace_back(qs(key), qs(value.is_string() ? value.get<std::string>() : value.dump()));
      list.push_back(std::move(p));
    }
    return list;
  }();
  return all;
}

const PrimitiveText* primitiveText(const QString& id) {
  const auto& all = primitiveTexts();
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.id == id; });
  return it == all.end() ? nullptr : &*it;
}

const std::vector<Relation>& relations() {
  static const std::vector<Relation> all = [] {
    std::vector<Relation> out;
    addProperties(out);
    addPrimitives(out);
    return out;
  }();
  return all;
}

QString whyRelated(const Entity& a, const Entity& b) {
  for (const Relation& r : relations())
    if ((r.from == a && r.to == b) || (r.from == b && r.to == a)) return r.why;
  return {};
}

Related::Pairs relatedPairs() {
  Related::Pairs pairs;
  for (const Relation& r : relations()) pairs.emplace_back(r.from, r.to);
  return pairs;
}

} // namespace aicf::views
