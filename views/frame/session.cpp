#include "views/frame/session.hpp"

#include "views/engine/text.hpp"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>

namespace aicf::views {
namespace {
constexpr int restMs = 700, mostVariants = 256;
constexpr auto schema = "aicf.session/1";

QString variantsFile(const QString& session) { return session + QStringLiteral(".variants"); }
} // namespace

Session::Session(Workbench& workbench, Layouts& layouts, QObject* parent)
    : QObject(parent), workbench_(workbench), layouts_(layouts) {
  rest_.setSingleShot(true);
  rest_.setInterval(restMs);
  connect(&rest_, &QTimer::timeout, this, &Session::save);
  const auto later = [this] {
    if (!restoring_) rest_.start();
  };
  const Subject& s = workbench.subject();
  connect(&s, &Subject::opened, this, later);
  connect(&s, &Subject::checked, this, later);
  connect(&s, &Subject::problemChanged, this, later);
  connect(&workbench.rules(), &Rules::changed, this, later);
  connect(&workbench.navigator(), &Navigator::historyChanged, this, later);
  connect(&workbench.navigator(), &Navigator::activeChanged, this, later);
  connect(&workbench.navigator(), &Navigator::linkedChanged, this, later);
  connect(&layouts, &Layouts::changed, this, later);
  connect(&workbench.jobs(), &Jobs::result, this, [this](int number, const QString& kind, const nlohmann::json& body) {
    const Job* job = workbench_.jobs().find(number);
    if (kind == QLatin1String("variant") && job) keepVariant(body, job->about);
  });
}

QJsonObject Session::gather() const {
  const Subject& s = workbench_.subject();
  const Navigator& n = workbench_.navigator();
  QJsonObject views, drafts, dims;
  QJsonArray unlinked;
  for (View* view : n.views()) {
    if (const QJsonObject state = view->state(); !state.isEmpty()) views.insert(view->id(), state);
    if (!view->isLinked()) unlinked.append(view->id());
  }
  for (auto it = workbench_.drafts().begin(); it != workbench_.drafts().end(); ++it) drafts.insert(it.key(), *it);
  if (s.isModified() || (!s.isEmpty() && s.path().isEmpty())) drafts.insert(s.name(), s.text());
  for (const auto& [name, size] : s.problem().dims) dims.insert(qs(name), double(size));
  return {{"schema", schema},
          {"view", n.current() ? n.current()->id() : QString()},
          {"active", n.active().isNull() ? QString() : n.active().uri()},
          {"operator", s.name()},
          {"dims", dims},
          {"views", views},
          {"unlinked", unlinked},
          {"drafts", drafts},
          {"rules", QJsonObject{{"path", workbench_.rules().path()},
                                {"profile", qs(to_json(workbench_.rules().profile()).dump())}}},
          {"layout", layouts_.state()}};
}

void Session::save() {
  rest_.stop();
  const QString path = workbench_.sessionFile();
  if (path.isEmpty() || restoring_) return;
  const QByteArray bytes = QJsonDocument(gather()).toJson(QJsonDocument::Compact);
  if (bytes == written_) return;
  QDir().mkpath(QFileInfo(path).path());
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) {
    written_ = bytes;
  } else if (!complained_) {
    complained_ = true;
    workbench_.notify(
        {QStringLiteral("session"), tr("The session cannot be kept: %1 (%2)").arg(path, file.errorString()), {}});
  }
}

bool Session::restore() {
  const QString path = workbench_.sessionFile();
  QFile file(path);
  if (path.isEmpty() || !file.open(QIODevice::ReadOnly)) return false;
  const QJsonObject session = QJsonDocument::fromJson(file.readAll()).object();
  if (session.value("schema").toString() != QLatin1String(schema)) {
    workbench_.say(tr("The last session could not be read: %1 is of another form.").arg(path));
    return false;
  }
  QHash<QString, QString> drafts;
  const QJsonObject kept = session.value("drafts").toObject();
  for (auto it = kept.begin(); it != kept.end(); ++it) drafts.insert(it.key(), it->toString());
  workbench_.setDrafts(drafts);
  restoreRules(session.value("rules").toObject());
  readVariants();
  layouts_.restore(session.value("layout").toObject());
  for (const QJsonValue& id : session.value("unlinked").toArray())
    if (View* view = workbench_.navigator().view(id.toString())) workbench_.navigator().setLinked(view, false);
  if (workbench_.library().isLoaded()) {
    restorePlace(session);
  } else {
    restoring_ = true;
    connect(
        &workbench_.library(), &Library::loaded, this, [this, session] { restorePlace(session); },
        Qt::SingleShotConnection);
  }
  return true;
}

void Session::restoreRules(const QJsonObject& rules) {
  const Result<CompilerProfile> profile = profile_from_json(rules.value("profile").toString().toStdString(), "session");
  if (!profile) return;
  const QString path = rules.value("path").toString();
  const Result<CompilerProfile> filed =
      path.isEmpty() ? Result<CompilerProfile>(CompilerProfile()) : load_profile(path.toStdString());
  if (filed && *filed == *profile) {
    if (!path.isEmpty()) workbench_.rules().open(*profile, path);
    return;
  }
  // Ticks that were not exported stay a change that can be undone.
  if (filed && !path.isEmpty()) workbench_.rules().open(*filed, path);
  workbench_.rules().change(tr("rules of the last session"), *profile);
}

void Session::restorePlace(const QJsonObject& session) {
  restoring_ = true;
  Navigator& n = workbench_.navigator();
  // Who came in by a link is there already.
  const bool elsewhere = !n.active().isNull();
  const QString op = session.value("operator").toString();
  if (!op.isEmpty() && !elsewhere) workbench_.openOperator(op);
  if (const auto active = Entity::fromUri(session.value("active").toString()); active && !elsewhere)
    if (active->kind != QLatin1String("op") || workbench_.library().find(active->id) ||
        workbench_.subject().name() == active->id)
      n.activate(*active);
  if (View* view = n.view(session.value("view").toString()); view && !elsewhere) n.goTo(view->id());
  const QJsonObject views = session.value("views").toObject();
  for (View* view : n.views())
    if (views.contains(view->id())) view->restore(views.value(view->id()).toObject());
  if (!elsewhere) {
    // Sizes are known once the operator was analysed.
    connect(
        &workbench_.subject(), &Subject::analysed, this,
        [this, dims = session.value("dims").toObject(), op] {
          if (workbench_.subject().name() != op) return;
          Problem p = workbench_.subject().problem();
          for (auto& [name, size] : p.dims)
            if (const QJsonValue kept = dims.value(qs(name)); kept.isDouble()) size = std::int64_t(kept.toDouble());
          workbench_.subject().setProblem(p);
        },
        Qt::SingleShotConnection);
  }
  restoring_ = false;
}

void Session::keepVariant(const nlohmann::json& body, const QString& op) {
  const QString path = workbench_.sessionFile();
  if (path.isEmpty()) return;
  QDir().mkpath(QFileInfo(path).path());
  QFile file(variantsFile(path));
  if (!file.open(QIODevice::WriteOnly | QIODevice::Append)) return; // the session's own file says what is wrong
  file.write(QByteArray::fromStdString(nlohmann::json{{"op", op.toStdString()}, {"variant", body}}.dump()) + '\n');
}

void Session::readVariants() {
  QFile file(variantsFile(workbench_.sessionFile()));
  if (!file.open(QIODevice::ReadOnly)) return;
  QList<QByteArray> lines = file.readAll().split('\n');
  lines.removeAll(QByteArray());
  const bool tooMany = lines.size() > mostVariants;
  if (tooMany) lines = lines.mid(lines.size() - mostVariants);
  for (const QByteArray& line : std::as_const(lines)) {
    const auto kept = nlohmann::json::parse(line.toStdString(), nullptr, false); // the last may be cut by a kill
    if (!kept.is_object() || !kept.contains("variant") || !kept.contains("op") || !kept["op"].is_string()) continue;
    VariantRow variant = variantFrom(kept["variant"]);
    variant.op = qs(kept["op"].get<std::string>());
    workbench_.variants().add(std::move(variant));
  }
  file.close();
  if (!tooMany) return;
  QSaveFile shorter(variantsFile(workbench_.sessionFile()));
  if (shorter.open(QIODevice::WriteOnly) && shorter.write(lines.join('\n') + '\n') > 0) shorter.commit();
}

} // namespace aicf::views
