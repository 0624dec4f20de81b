#include "views/atlas/property_matrix.hpp"

#include "core/base/cache_dir.hpp"
#include "core/expr/check.hpp"
#include "core/plan/plan.hpp"
#include "core/structure/properties/cache.hpp"
#include "views/engine/text.hpp"
#include "views/frame/workbench.hpp"

#include <QPointer>
#include <QThreadPool>

#include <algorithm>
#include <exception>

namespace aicf::views {
namespace {

/// What a task is given: no row of the model crosses a thread.
struct Source {
  int row;
  QString name, path, text;
};

} // namespace

/// One thread, so that the two of a small machine keep one for typing.
struct PropertyMatrix::Worker {
  Worker() { pool.setMaxThreadCount(1); }
  ~Worker() {
    stop.request_stop();
    pool.clear();
    pool.waitForDone();
  }
  QThreadPool pool;
  std::stop_source stop;
};

const PropertyVerdict* MatrixOperator::verdict(const QString& property) const {
  const auto found = verdicts.find(property.toStdString());
  return found == verdicts.end() ? nullptr : &found->second;
}

MatrixOperator decideOperator(const QString& name, const QString& path, const QString& text,
                              const std::stop_token& stop) {
  MatrixOperator row;
  row.name = name;
  row.path = path;
  row.summary = summaryOf(text);
  row.decided = true;
  try {
    Result<Definition> parsed = parse_definition(text.toStdString(), path.toStdString());
    if (!parsed) {
      row.problem = parsed.diagnostics.empty() ? QString() : qs(parsed.diagnostics.front().message);
      return row;
    }
    const auto definition = std::make_shared<const Definition>(std::move(*parsed));
    const StructureProfile profile = analyze(canonicalize(definition), 1, stop);
    row.structures = qs(profile.structures);
    row.stages = qs(profile.stages);
    for (const Family& f : families())
      if (f.mismatch(profile).empty()) row.families << qs(f.title);
    for (const LegalityRow& r : judge(profile, CompilerProfile{}).rows)
      if (r.applicable) row.transformations << qs(r.transformation);
    for (PropertyVerdict& v : kept_properties(
             cache_dir() / "properties", *profile.canonical, [&profile] { return profile; }, nullptr, stop))
      row.verdicts.emplace(v.property, std::move(v));
  } catch (const std::exception& e) { // a fault of ours in one operator must not cost the window
    row.problem = qs(e.what());
  }
  return row;
}

PropertyMatrix::PropertyMatrix(Workbench& workbench) : QObject(&workbench), workbench_(workbench) {
  connect(&workbench.library(), &Library::loaded, this, &PropertyMatrix::load);
  if (workbench.library().isLoaded()) load();
}

PropertyMatrix::~PropertyMatrix() = default;

PropertyMatrix& PropertyMatrix::of(Workbench& workbench) {
  if (auto* matrix = workbench.findChild<PropertyMatrix*>(QString(), Qt::FindDirectChildrenOnly)) return *matrix;
  return *new PropertyMatrix(workbench); // owned by the workbench
}

void PropertyMatrix::load() {
  const int generation = ++generation_;
  worker_ = std::make_unique<Worker>();
  loaded_ = true;
  decided_ = 0;
  std::vector<MatrixOperator> before = std::move(operators_);
  operators_.clear();
  std::vector<Source> sources;
  for (const OperatorEntry& e : workbench_.library().entries()) {
    MatrixOperator row;
    row.name = e.name;
    row.path = e.path;
    row.summary = e.summary;
    operators_.push_back(std::move(row));
    sources.push_back({int(sources.size()), e.name, e.path, e.text});
  }
  Q_EMIT reset();
  const QPointer<PropertyMatrix> self(this);
  for (const Source& s : sources)
    worker_->pool.start([self, s, generation, stop = worker_->stop.get_token()] {
      if (stop.stop_requested()) return;
      const MatrixOperator row = decideOperator(s.name, s.path, s.text, stop);
      if (stop.stop_requested()) return;
      QMetaObject::invokeMethod(
          qApp,
          [self, generation, at = s.row, row] {
            if (self) self->arrived(generation, at, row);
          },
          Qt::QueuedConnection);
    });
}

void PropertyMatrix::arrived(int generation, int row, const MatrixOperator& decided) {
  if (generation != generation_) return;
  operators_[std::size_t(row)] = decided;
  ++decided_;
  Q_EMIT rowDecided(row);
  if (isComplete()) Q_EMIT completed();
}

const MatrixOperator* PropertyMatrix::find(const QString& name) const {
  const auto it = std::find_if(operators_.begin(), operators_.end(), [&](const auto& o) { return o.name == name; });
  return it == operators_.end() ? nullptr : &*it;
}

PropertyCount PropertyMatrix::count(const QString& property) const {
  PropertyCount n;
  for (const MatrixOperator& o : operators_) {
    const PropertyVerdict* v = o.verdict(property);
    if (!v) {
      n.pending += o.decided ? 0 : 1;
      continue;
    }
    switch (v->answer) {
    case PropertyVerdict::Answer::holds: ++n.holds; break;
    case PropertyVerdict::Answer::fails: ++n.fails; break;
    case PropertyVerdict::Answer::not_applicable: ++n.notApplicable; break;
    case PropertyVerdict::Answer::unknown: ++n.unknown; break;
    }
  }
  return n;
}

} // namespace aicf::views
