#include "views/engine/subject.hpp"

#include "core/expr/check.hpp"
#include "views/engine/text.hpp"

#include <array>
#include <exception>
#include <set>

namespace aicf::views {
namespace {
constexpr int restMs = 180; // shorter than a pause between words, longer than one between keys
constexpr std::int64_t alongAxis = 1000, elsewhere = 64;

Diagnostic internal(const std::exception& e) {
  return {
      Diagnostic::Severity::error, "window.internal", {}, e.what(), "this is a fault of the program, not of the text"};
}
} // namespace

std::map<std::string, std::int64_t> sensibleDims(const Definition& definition, const StructureProfile& profile) {
  std::set<std::uint32_t> along;
  for (const Cascade& cascade : profile.cascades) {
    const std::array roots{cascade.lo, cascade.hi};
    const Arena& arena = profile.canonical->arena;
    for (const ExprId id : reachable(arena, roots))
      if (arena[id].op == Op::dim) along.insert(arena[id].payload);
  }
  std::map<std::string, std::int64_t> dims;
  for (std::uint32_t i = 0; i < definition.dims.size(); ++i)
    dims[definition.dims[i]] = along.contains(i) ? alongAxis : elsewhere;
  return dims;
}

Subject::Subject(QObject* parent) : QObject(parent), parsing_(this), analysing_(this) {
  rest_.setSingleShot(true);
  rest_.setInterval(restMs);
  connect(&rest_, &QTimer::timeout, this, &Subject::check);
}

void Subject::open(const QString& name, const QString& path, const QString& text) {
  rest_.stop();
  name_ = name;
  path_ = path;
  text_ = savedText_ = text;
  diagnostics_.clear();
  definition_.reset();
  structure_.reset();
  structureCurrent_ = false;
  Problem fresh;
  fresh.float_type = problem_.float_type;
  fresh.target = problem_.target;
  problem_ = fresh;
  parsing_.cancel();
  analysing_.cancel();
  Q_EMIT opened();
  check();
}

void Subject::edit(const QString& text) {
  if (text == text_) return;
  const bool was = isModified();
  text_ = text;
  structureCurrent_ = false;
  if (was != isModified()) Q_EMIT modifiedChanged();
  checking_ = true;
  rest_.start();
}

void Subject::saved(const QString& name, const QString& path) {
  name_ = name;
  path_ = path;
  savedText_ = text_;
  Q_EMIT modifiedChanged();
}

void Subject::check() {
  checking_ = true;
  const std::string file = path_.isEmpty() ? name_.toStdString() : path_.toStdString();
  parsing_.request(
      [text = text_.toStdString(), file](std::stop_token) {
        Parsed out;
        try {
          Result<Definition> result = parse_definition(text, file);
          out.diagnostics = std::move(result.diagnostics);
          if (result) out.definition = std::make_shared<const Definition>(std::move(*result));
        } catch (const std::exception& e) { // a fault of ours must not cost the user's text
          out.diagnostics = {internal(e)};
        }
        return out;
      },
      [this](Parsed parsed) {
        diagnostics_ = std::move(parsed.diagnostics);
        definition_ = std::move(parsed.definition);
        if (!definition_) {
          checking_ = false;
          analysing_.cancel();
          Q_EMIT checked();
          return;
        }
        Q_EMIT checked();
        analysing_.request(
            [definition = definition_](std::stop_token stop) -> Analysed {
              try {
                return std::make_shared<const StructureProfile>(analyze(canonicalize(definition), 1, stop));
              } catch (const std::exception& e) {
                StructureProfile broken;
                Certificate why;
                why.claim = "internal fault";
                why.method = e.what();
                broken.certificates.push_back(why);
                return std::make_shared<const StructureProfile>(broken);
              }
            },
            [this](Analysed structure) {
              structure_ = std::move(structure);
              structureCurrent_ = true;
              checking_ = false;
              prefill();
              Q_EMIT analysed();
            });
      });
}

void Subject::prefill() {
  if (!definition_ || !structure_->canonical) return;
  Problem next = problem_;
  const auto sensible = sensibleDims(*definition_, *structure_);
  next.dims.clear();
  for (const auto& [name, size] : sensible) {
    const auto known = problem_.dims.find(name);
    next.dims[name] = known == problem_.dims.end() ? size : known->second;
  }
  next.scalars.clear();
  for (const ScalarDecl& s : definition_->scalars) {
    const auto known = problem_.scalars.find(s.name);
    next.scalars[s.name] = known == problem_.scalars.end() ? s.value : known->second;
  }
  setProblem(next);
}

void Subject::setProblem(const Problem& problem) {
  const auto key = [](const Problem& p) { return std::tie(p.dims, p.scalars, p.float_type, p.target); };
  if (key(problem) == key(problem_)) return;
  problem_ = problem;
  Q_EMIT problemChanged();
}

} // namespace aicf::views
