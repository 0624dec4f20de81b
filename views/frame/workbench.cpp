#include "views/frame/workbench.hpp"

#include "core/base/npy.hpp"
#include "views/engine/text.hpp"
#include "views/widgets/table.hpp"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QThread>
#include <QThreadPool>

#include <algorithm>

namespace aicf::views {
namespace {
constexpr int mostRecent = 8, leastThreads = 5;
constexpr auto recentKey = "recent", ownKey = "ownFiles";
const auto newText = QStringLiteral("# What it computes, and where the formula is from.\n"
                                    "op %1(x: float[M, N]) -> y: float[M, N]\n"
                                    "  m[i]    = max[j] x[i, j]\n"
                                    "  y[i, j] = x[i, j] - m[i]\n");
} // namespace

Workbench::Workbench(const WorkbenchOptions& options, QObject* parent)
    : QObject(parent),
      settings_(options.settingsFile.isEmpty()
                    ? std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope, "aicf", "workbench")
                    : std::make_unique<QSettings>(options.settingsFile, QSettings::IniFormat)),
      sessionFile_(options.sessionFile), legality_(subject_, rules_), jobs_(options.targets, options.patience),
      readingArray_(this) {
  connect(&navigator_, &Navigator::activeChanged, this, &Workbench::follow);
  connect(&navigator_, &Navigator::activeChanged, this, &Workbench::light);
  connect(&related_, &Related::changed, this, &Workbench::light);
  connect(&links(), &Links::followed, this, [this](const QString& uri) {
    const auto entity = Entity::fromUri(uri);
    if (!entity || !open(*entity)) say(tr("Nothing is called %1.").arg(uri));
  });
  connect(&library_, &Library::loaded, this, [this] {
    const Entity awaited = std::exchange(awaited_, {});
    if (!awaited.isNull() && !open(awaited)) say(tr("Nothing is called %1.").arg(awaited.uri()));
  });
  connect(&jobs_, &Jobs::result, this, [this](int number, const QString& kind, const nlohmann::json& body) {
    if (kind != QLatin1String("variant")) return;
    VariantRow variant = variantFrom(body);
    variant.job = number;
    if (const Job* job = jobs_.find(number)) variant.op = job->about;
    variants_.add(std::move(variant));
  });
  for (const auto& signal : {&Subject::opened, &Subject::checked, &Subject::analysed, &Subject::modifiedChanged})
    connect(&subject_, signal, &actions_, &Actions::invalidate);
  connect(&rules_, &Rules::changed, &actions_, &Actions::invalidate);
  connect(&legality_, &Legality::changed, &actions_, &Actions::invalidate);
  connect(&jobs_, &Jobs::changed, &actions_, &Actions::invalidate);
  connect(&variants_, &Variants::changed, &actions_, &Actions::invalidate);
  connect(&navigator_, &Navigator::historyChanged, &actions_, &Actions::invalidate);

  connect(&library_, &Library::entryChanged, this, [this] {
    if (library_.isAnalysed()) tellStructures();
  });
  // Reading profiles or deciding properties must not keep a text that is being typed waiting.
  QThreadPool::globalInstance()->setMaxThreadCount(std::max(leastThreads, QThread::idealThreadCount()));
  tellPlans();

  std::vector<View*> views;
  for (const MakeView& make : registeredViews()) views.push_back(views_.emplace_back(make(*this)).get());
  navigator_.setViews(std::move(views));
  library_.load(ownFiles());
}

Workbench::~Workbench() { disconnect(&navigator_, nullptr, this, nullptr); }

bool Workbench::open(const Entity& entity) {
  if (entity.kind == QLatin1String("op") && !library_.isLoaded()) {
    awaited_ = entity;
    return true;
  }
  if (entity.kind == QLatin1String("op") && !library_.find(entity.id) && subject_.name() != entity.id) return false;
  if (navigator_.open(entity)) return true;
  if (entity.kind == QLatin1String("view") || entity.id.isEmpty()) return false;
  navigator_.activate(entity);
  return true;
}

void Workbench::tellPlans() {
  Related::Pairs pairs;
  for (const Param& p : params()) {
    if (!p.uses || !p.primitives) continue;
    for (const Value& v : p.domain)
      for (const std::string& transformation : p.uses(v))
        for (const std::string& primitive : p.primitives(v))
          pairs.push_back({{"transformation", qs(transformation)}, {"primitive", qs(primitive)}});
  }
  related_.tell(QStringLiteral("plans"), std::move(pairs));
}

void Workbench::tellStructures() {
  Related::Pairs pairs;
  for (const OperatorEntry& e : library_.entries())
    for (const QString& structure : e.structures) pairs.push_back({{"op", e.name}, {"structure", structure}});
  related_.tell(QStringLiteral("structures"), std::move(pairs));
}

void Workbench::light() {
  lit_ = related_.lit(navigator_.active());
  Q_EMIT relit();
}

void Workbench::follow(const Entity& entity) {
  if (entity.kind == QLatin1String("op")) openOperator(entity.id);
}

void Workbench::openOperator(const QString& name) {
  if (name == subject_.name()) return;
  if (subject_.isModified()) drafts_[subject_.name()] = subject_.text();
  const OperatorEntry* entry = library_.find(name);
  const QString draft = drafts_.take(name);
  if (!entry && draft.isEmpty()) return;
  subject_.open(name, entry ? entry->path : QString(), entry ? entry->text : QString());
  if (!draft.isEmpty()) subject_.edit(draft);
  remember(Entity{"op", name}.uri());
}

void Workbench::newOperator() {
  QString name = QStringLiteral("untitled");
  for (int n = 2; library_.find(name) || subject_.name() == name || drafts_.contains(name); ++n)
    name = QStringLiteral("untitled%1").arg(n);
  drafts_[name] = newText.arg(name);
  navigator_.open({QStringLiteral("op"), name});
}

void Workbench::openFile(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    Q_EMIT failed(tr("Open file"), tr("%1 could not be read: %2").arg(path, file.errorString()));
    return;
  }
  if (path.endsWith(QLatin1String(".npy"))) {
    openArray(path);
    return;
  }
  if (!path.endsWith(QLatin1String(".op"))) {
    openProfile(path);
    return;
  }
  const QString full = QFileInfo(path).absoluteFilePath();
  QStringList own = ownFiles();
  if (!own.contains(full) && !full.startsWith(library_.folder())) {
    own.prepend(full);
    settings_->setValue(ownKey, own);
  }
  awaited_ = {QStringLiteral("op"), QFileInfo(path).completeBaseName()};
  library_.load(ownFiles());
}

void Workbench::openProfile(const QString& path) {
  const Result<CompilerProfile> profile = load_profile(path.toStdString());
  if (!profile) {
    QStringList lines;
    for (const Diagnostic& d : profile.diagnostics) lines << qs(format(d));
    Q_EMIT failed(tr("Open profile"), lines.join('\n'));
    return;
  }
  rules_.open(*profile, path);
  remember(Entity{"profile", QFileInfo(path).absoluteFilePath()}.uri());
  navigator_.goTo(QStringLiteral("builder"));
}

void Workbench::openArray(const QString& path) {
  readingArray_.request(
      [file = path.toStdString()](std::stop_token) {
        ArrayShape out;
        const Result<HostTensor> tensor = read_npy(file);
        if (tensor) {
          out.shape = tensor->shape;
          out.type = qs(name_of(tensor->dtype));
        } else {
          for (const Diagnostic& d : tensor.diagnostics) out.problem += qs(format(d));
        }
        return out;
      },
      [this, path](const ArrayShape& array) {
        const QString name = QFileInfo(path).fileName();
        if (!array.problem.isEmpty()) {
          Q_EMIT failed(tr("Open array"), array.problem);
          return;
        }
        QStringList sizes;
        for (const std::int64_t n : array.shape) sizes << QString::number(n);
        const QString what = tr("%1 holds %2 of size %3").arg(name, array.type, sizes.join(QStringLiteral(" × ")));
        const auto definition = subject_.definition();
        Problem fitted = subject_.problem();
        QString input;
        for (std::size_t i = 0; definition && input.isEmpty() && i < definition->inputs; ++i) {
          const TensorDecl& tensor = definition->tensors[i];
          if (tensor.shape.size() != array.shape.size() || tensor.shape.empty()) continue;
          Problem trial = subject_.problem();
          std::map<std::string, std::int64_t> seen;
          bool fits = true;
          for (std::size_t d = 0; d < array.shape.size(); ++d) {
            const Node& e = definition->arena[tensor.shape[d]];
            if (e.op != Op::dim) continue; // a computed size follows from the others, or is checked when bound
            const std::string& dim = definition->dims[e.payload];
            const auto [at, fresh] = seen.emplace(dim, array.shape[d]);
            fits = fits && (fresh || at->second == array.shape[d]);
            trial.dims[dim] = array.shape[d];
          }
          if (!fits) continue;
          input = qs(tensor.name);
          fitted = trial;
        }
        if (input.isEmpty()) {
          say(definition ? tr("%1: %2 has no input of that rank.").arg(what, subject_.name())
                         : tr("%1: choose an operator first, then its sizes are taken from the file.").arg(what));
          return;
        }
        subject_.setProblem(fitted);
        say(tr("%1: taken as the sizes of %2 of %3.").arg(what, input, subject_.name()));
      });
}

bool Workbench::saveOperator(const QString& path) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(subject_.text().toUtf8()) < 0 || !file.commit()) {
    Q_EMIT failed(tr("Save operator"), tr("%1 could not be written: %2").arg(path, file.errorString()));
    return false;
  }
  const QString full = QFileInfo(path).absoluteFilePath();
  QStringList own = ownFiles();
  if (!own.contains(full) && !full.startsWith(library_.folder())) {
    own.prepend(full);
    settings_->setValue(ownKey, own);
  }
  const QString name = QFileInfo(path).completeBaseName();
  subject_.saved(name, full);
  remember(Entity{"op", name}.uri());
  library_.load(ownFiles());
  if (navigator_.active() != Entity{"op", name}) navigator_.activate({"op", name});
  say(tr("Saved %1.").arg(full));
  return true;
}

QStringList Workbench::recent() const { return settings_->value(recentKey).toStringList(); }
QStringList Workbench::ownFiles() const { return settings_->value(ownKey).toStringList(); }

void Workbench::remember(const QString& uri) {
  QStringList list = recent();
  list.removeAll(uri);
  list.prepend(uri);
  settings_->setValue(recentKey, QStringList(list.mid(0, mostRecent)));
  Q_EMIT recentChanged();
}

} // namespace aicf::views
