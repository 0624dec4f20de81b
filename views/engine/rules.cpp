#include "views/engine/rules.hpp"

#include "core/profile/fields.hpp"
#include "views/engine/text.hpp"

#include <nlohmann/json.hpp>

#include <QRegularExpression>
#include <QUndoCommand>

#include <algorithm>

namespace aicf::views {

class RulesStep : public QUndoCommand {
 public:
  RulesStep(Rules& rules, const QString& what, CompilerProfile before, CompilerProfile after, int merge)
      : QUndoCommand(what), rules_(&rules), before_(std::move(before)), after_(std::move(after)), merge_(merge) {}
  void undo() override { rules_->set(before_); }
  void redo() override { rules_->set(after_); }
  [[nodiscard]] int id() const override { return merge_; }
  bool mergeWith(const QUndoCommand* other) override {
    after_ = static_cast<const RulesStep*>(other)->after_;
    return true;
  }

 private:
  Rules* rules_;
  CompilerProfile before_, after_;
  int merge_;
};

namespace {

struct Tick {
  const ProfileField* field = nullptr;
  QString op, value;
};

Tick parseTick(const QString& text) {
  static const QRegularExpression form(QStringLiteral("^([a-z_.]+)(\\+=|-=|=)(.*)$"));
  const auto match = form.match(text);
  Tick tick;
  if (!match.hasMatch()) return tick;
  const std::string path = match.captured(1).toStdString();
  for (const ProfileField& field : profile_fields())
    if (field.path == path) tick.field = &field;
  tick.op = match.captured(2);
  tick.value = match.captured(3);
  return tick;
}

} // namespace

void Rules::set(const CompilerProfile& profile) {
  profile_ = profile;
  Q_EMIT changed();
}

void Rules::change(const QString& what, const CompilerProfile& after, int merge) {
  if (after == profile_) return;
  stack_.push(new RulesStep(*this, what, profile_, after, merge));
}

void Rules::open(const CompilerProfile& profile, const QString& path) {
  stack_.clear();
  path_ = path;
  set(profile);
  Q_EMIT filed();
}

void Rules::exported(const QString& path) {
  path_ = path;
  stack_.setClean();
  Q_EMIT filed();
}

bool Rules::apply(const QString& text) {
  const Tick tick = parseTick(text);
  if (!tick.field) return false;
  CompilerProfile after = profile_;
  nlohmann::json value;
  const std::string word = tick.value.toStdString();
  if (tick.op == QLatin1String("=")) {
    using Type = ProfileField::Type;
    const bool isText = tick.field->type == Type::word || tick.field->type == Type::text;
    value = isText ? nlohmann::json(word) : nlohmann::json::parse(word, nullptr, false);
  } else {
    value = tick.field->get(after);
    if (!value.is_array()) return false;
    const auto at = std::find(value.begin(), value.end(), nlohmann::json(word));
    if (tick.op == QLatin1String("+=") && at == value.end()) value.push_back(word);
    if (tick.op == QLatin1String("-=") && at != value.end()) value.erase(at);
  }
  if (value.is_discarded() || !problem(*tick.field, value).empty()) return false;
  tick.field->set(after, value);
  change(describeTick(text), after);
  return true;
}

QString describeTick(const QString& text) {
  const Tick tick = parseTick(text);
  if (!tick.field) return text;
  const QString path = qs(tick.field->path);
  const QString setting = path.mid(path.lastIndexOf('.') + 1).replace('_', ' ');
  const QString group = path.left(path.indexOf('.'));
  const QString value = QString(tick.value).replace('_', ' ');
  if (tick.op == QLatin1String("=")) {
    if (value == QLatin1String("true")) return Rules::tr("allow %1").arg(setting);
    if (value == QLatin1String("false")) return Rules::tr("do not allow %1").arg(setting);
    return Rules::tr("%1 → %2").arg(setting, value);
  }
  if (setting == QLatin1String("forbid"))
    return tick.op == QLatin1String("-=") ? Rules::tr("do not forbid %1").arg(value)
                                          : Rules::tr("forbid %1").arg(value);
  return tick.op == QLatin1String("+=") ? Rules::tr("add %1 to %2 %3").arg(value, group, setting)
                                        : Rules::tr("remove %1 from %2 %3").arg(value, group, setting);
}

} // namespace aicf::views
