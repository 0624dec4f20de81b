#include "views/builder/rules_form.hpp"

#include "core/semantics/atlas.hpp"
#include "views/engine/text.hpp"
#include "views/widgets/panes.hpp"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <limits>
#include <set>

namespace aicf::views {
namespace {
using Type = ProfileField::Type;

QString spoken(std::string_view path) {
  const QString name = qs(path);
  return capitalised(name.mid(name.lastIndexOf('.') + 1).replace('_', ' '));
}

/// Wheels scroll the form; a value changes on purpose only.
template <class Box> class Calm : public Box {
 public:
  using Box::Box;

 protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

} // namespace

ChoiceIds transformationIds() {
  ChoiceIds out;
  for (const Transformation& t : transformations()) {
    out.ids << qs(t.id);
    out.titles << qs(transformation_text(t.id).title);
  }
  return out;
}

ChoiceIds primitiveIds() {
  std::set<std::string> found;
  for (const Param& p : params()) {
    if (!p.primitives) continue;
    for (const Value& v : p.domain)
      for (const std::string& id : p.primitives(v)) found.insert(id);
  }
  ChoiceIds out;
  for (const std::string& id : found) {
    out.ids << qs(id);
    out.titles << QString(qs(id)).replace('_', ' ').replace('.', ' ');
  }
  return out;
}

RulesForm::RulesForm(Workbench& workbench) : workbench_(workbench), area_(new QScrollArea) {
  auto* inner = new QWidget;
  groups_ = new QVBoxLayout(inner);
  groups_->setContentsMargins(0, 0, 10, 8);
  groups_->setSpacing(2);
  area_->setWidget(inner);
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(area_);
  build();
  groups_->addStretch(1);
  connect(&workbench.rules(), &Rules::changed, this, &RulesForm::update);
  update();
}

void RulesForm::build() {
  addGroup(tr("Profile"), tr("What this set of rules is called"), "name");
  addGroup(tr("Strictness"), tr("How far results may move, on two axes: order of operations × arithmetic"),
           "strictness.");
  addGroup(tr("Transformations forbidden"), tr("No plan may use what is ticked"), "transformations.forbid");
  addGroup(tr("Transformations required"), tr("Every plan must use what is ticked"), "transformations.require");
  addGroup(tr("Primitives allowed"),
           tr("Hardware building blocks that plans may use; all ticked: all, also later ones"), "primitives.");
  addGroup(tr("Arithmetic"), tr("Types of accumulators"), "accumulate");
  addGroup(tr("Special values"), tr("same: as the definition gives them; any: not compared"), "special.");
  addGroup(tr("Limits"), tr("Resources that a kernel may take"), "limits.");
  addGroup(tr("At run time"), tr("What selection may choose"), "runtime.");
  addGroup(tr("Validation"), tr("What every variant must pass"), "validation.");
  addGroup(tr("Priors"), tr("Numbers measured elsewhere or long ago"), "priors.");
  addGroup(tr("Properties"), tr("Which operators the profile is for"), "properties.");
}

void RulesForm::addGroup(const QString& title, const QString& tip, const QString& prefix) {
  QFormLayout* form = nullptr;
  for (const ProfileField& field : profile_fields()) {
    const QString path = qs(field.path);
    if (!path.startsWith(prefix)) continue;
    if (!form) {
      auto* heading = label(title, "section");
      heading->setToolTip(tip);
      heading->setContentsMargins(0, groups_->count() > 0 ? 12 : 2, 0, 4);
      groups_->addWidget(heading);
      form = new QFormLayout;
      form->setContentsMargins(0, 0, 0, 0);
      form->setHorizontalSpacing(8);
      form->setVerticalSpacing(4);
      form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
      form->setRowWrapPolicy(QFormLayout::WrapLongRows); // where the dock is narrow
      groups_->addLayout(form);
    }
    QWidget* widget = makeField(field);
    fields_[path] = widget;
    widget->setToolTip(capitalised(qs(field.meaning)));
    if (widget->accessibleName().isEmpty()) widget->setAccessibleName(spoken(field.path));
    if (field.type == Type::boolean || widget->property("wide").toBool()) {
      form->addRow(widget);
    } else {
      auto* name = new QLabel(spoken(field.path));
      name->setBuddy(widget);
      name->setToolTip(capitalised(qs(field.meaning)));
      name->setMinimumWidth(88);
      form->addRow(name, widget);
    }
  }
}

QWidget* RulesForm::makeField(const ProfileField& field) {
  switch (field.type) {
  case Type::word: return makeWord(field);
  case Type::real:
  case Type::integer: return makeNumber(field);
  case Type::boolean: {
    auto* box = new QCheckBox(spoken(field.path));
    readers_.emplace_back(
        [this, &field, box] { box->setChecked(field.get(workbench_.rules().profile()).get<bool>()); });
    connect(box, &QCheckBox::toggled, this, [this, &field](bool on) { set(field, on); });
    return box;
  }
  case Type::texts:
    if (field.path.starts_with("transformations."))
      return makeChoices(field, transformationIds().ids, transformationIds().titles, false);
    if (field.path.starts_with("primitives."))
      return makeChoices(field, primitiveIds().ids, primitiveIds().titles, true);
    if (!field.words.empty()) {
      QStringList ids;
      for (const std::string_view w : field.words) ids << qs(w);
      return makeChoices(field, ids, ids, false);
    }
    return makeText(field);
  case Type::text:
  case Type::integers: return makeText(field);
  }
  return new QWidget;
}

QWidget* RulesForm::makeWord(const ProfileField& field) {
  auto* box = new Calm<QComboBox>;
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(8);
  for (const std::string_view word : field.words) box->addItem(QString(qs(word)).replace('_', ' '), qs(word));
  readers_.emplace_back([this, &field, box] {
    box->setCurrentIndex(box->findData(qs(field.get(workbench_.rules().profile()).get<std::string>())));
  });
  connect(box, &QComboBox::currentIndexChanged, this,
          [this, &field, box] { set(field, box->currentData().toString().toStdString()); });
  return box;
}

QWidget* RulesForm::makeNumber(const ProfileField& field) {
  if (field.type == Type::real) {
    // 1e-2 … 1e-9: a spin box would show zeros.
    auto* box = new QLineEdit;
    box->setFont(theme().mono());
    readers_.emplace_back(
        [this, &field, box] { box->setText(number(field.get(workbench_.rules().profile()).get<double>(), 6)); });
    connect(box, &QLineEdit::editingFinished, this, [this, &field, box] {
      bool ok = false;
      const double value = box->text().trimmed().toDouble(&ok);
      if (ok && problem(field, value).empty())
        set(field, value);
      else
        update();
    });
    return box;
  }
  auto* box = new Calm<QSpinBox>;
  box->setFont(theme().mono());
  box->setAlignment(Qt::AlignRight);
  box->setKeyboardTracking(false);
  box->setRange(int(std::max<double>(field.lo, std::numeric_limits<int>::min())),
                int(std::min<double>(field.hi, std::numeric_limits<int>::max())));
  box->setFocusPolicy(Qt::StrongFocus);
  readers_.emplace_back([this, &field, box] {
    const auto value = field.get(workbench_.rules().profile()).get<std::int64_t>();
    box->setValue(int(std::min<std::int64_t>(value, std::numeric_limits<int>::max())));
  });
  connect(box, &QSpinBox::valueChanged, this, [this, &field](int value) { set(field, value); });
  return box;
}

QWidget* RulesForm::makeText(const ProfileField& field) {
  auto* box = new QLineEdit;
  const bool list = field.type != Type::text;
  if (list) box->setPlaceholderText(tr("none"));
  readers_.emplace_back([this, &field, box, list] {
    const nlohmann::json value = field.get(workbench_.rules().profile());
    if (!list) {
      box->setText(qs(value.get<std::string>()));
      return;
    }
    QStringList parts;
    for (const auto& item : value) parts << (item.is_string() ? qs(item.get<std::string>()) : qs(item.dump()));
    box->setText(parts.join(QStringLiteral(", ")));
  });
  connect(box, &QLineEdit::editingFinished, this, [this, &field, box, list] {
    if (!list) {
      set(field, box->text().trimmed().toStdString());
      return;
    }
    nlohmann::json value = nlohmann::json::array();
    for (const QString& part : box->text().split(',', Qt::SkipEmptyParts)) {
      const QString text = part.trimmed();
      bool isNumber = false;
      const qlonglong n = text.toLongLong(&isNumber);
      if (text.isEmpty()) continue;
      if (field.type == Type::integers && isNumber)
        value.push_back(n);
      else
        value.push_back(text.toStdString());
    }
    if (problem(field, value).empty())
      set(field, value);
    else
      update();
  });
  return box;
}

QWidget* RulesForm::makeChoices(const ProfileField& field, const QStringList& ids, const QStringList& titles,
                                bool emptyMeansAll) {
  auto* group = new QWidget;
  group->setProperty("wide", true);
  auto* layout = new QVBoxLayout(group);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(3);
  auto boxes = std::make_shared<std::vector<QCheckBox*>>();
  for (int i = 0; i < ids.size(); ++i) {
    auto* box = new ElidedCheckBox(titles[i]);
    box->setProperty("id", ids[i]);
    box->setToolTip(titles[i] == ids[i] ? capitalised(qs(field.meaning)) : titles[i] + '\n' + ids[i]);
    layout->addWidget(box);
    boxes->push_back(box);
  }
  if (ids.isEmpty()) layout->addWidget(label(tr("none registered"), "muted"));
  const auto ticked = [this, &field] {
    const nlohmann::json value = field.get(workbench_.rules().profile());
    std::set<QString> out;
    for (const auto& item : value) out.insert(qs(item.get<std::string>()));
    return out;
  };
  readers_.emplace_back([boxes, ticked, emptyMeansAll] {
    const auto on = ticked();
    for (QCheckBox* box : *boxes)
      box->setChecked((emptyMeansAll && on.empty()) || on.contains(box->property("id").toString()));
  });
  for (QCheckBox* box : *boxes)
    connect(box, &QCheckBox::toggled, this, [this, &field, boxes, ticked, emptyMeansAll, box](bool on) {
      if (updating_) return;
      // Ids that are listed but not known here stay listed.
      std::set<QString> now = ticked();
      if (emptyMeansAll && now.empty())
        for (QCheckBox* b : *boxes) now.insert(b->property("id").toString());
      const QString id = box->property("id").toString();
      if (on)
        now.insert(id);
      else
        now.erase(id);
      const bool all = std::all_of(boxes->begin(), boxes->end(),
                                   [&](QCheckBox* b) { return now.contains(b->property("id").toString()); });
      if (emptyMeansAll && all) now.clear();
      if (emptyMeansAll && !all && now.empty()) { // an empty list would mean all of them
        workbench_.say(tr("At least one primitive must stay allowed."));
        update();
        return;
      }
      nlohmann::json value = nlohmann::json::array();
      for (const QString& i : now) value.push_back(i.toStdString());
      set(field, value);
    });
  return group;
}

void RulesForm::set(const ProfileField& field, const nlohmann::json& value) {
  if (updating_) return;
  CompilerProfile after = workbench_.rules().profile();
  field.set(after, value);
  workbench_.rules().change(tr("change of %1").arg(spoken(field.path).toLower()), after);
}

void RulesForm::update() {
  updating_ = true;
  for (const auto& read : readers_) read();
  updating_ = false;
}

void RulesForm::showRule(const QString& path) {
  QWidget* widget = fields_.value(path);
  if (!widget) return;
  area_->ensureWidgetVisible(widget);
  widget->setFocus();
}

int RulesForm::scroll() const { return area_->verticalScrollBar()->value(); }
void RulesForm::setScroll(int value) { area_->verticalScrollBar()->setValue(value); }

} // namespace aicf::views
