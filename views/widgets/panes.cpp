#include "views/widgets/panes.hpp"

#include <QHBoxLayout>
#include <QPainter>
#include <QSplitter>
#include <QStyle>
#include <QStyleOption>
#include <QVBoxLayout>

#include <string_view>

namespace aicf::views {
namespace {
constexpr int chipGap = 4;

/// Font, ink and edge of a label; the style fills what has an edge (views/frame/style.hpp).
void setLabelRole(QLabel& label, const char* role) {
  const std::string_view r = role;
  if (r.empty()) return;
  if (r == "chip" || r == "explain")
    setRole(label, role);
  else
    label.setProperty("role", role);
  QFont font;
  if (r == "title") font.setPointSizeF(15);
  if (r == "heading") font.setPointSizeF(11);
  if (r == "count") font.setPointSizeF(18);
  if (r == "title" || r == "heading" || r == "count" || r == "section") font.setWeight(QFont::DemiBold);
  if (r == "mono") font.setFamilies(theme().mono().families());
  label.setFont(font);
  if (r == "section" || r == "muted" || r == "explain") label.setForegroundRole(QPalette::PlaceholderText);
  if (r == "chip") label.setForegroundRole(QPalette::LinkVisited);
  if (r == "chip") label.setContentsMargins(5, 0, 5, 0);
  if (r == "explain") label.setContentsMargins(14, 14, 14, 14);
}

void ink(QLabel& label, Tone tone) {
  QPalette palette;
  palette.setColor(QPalette::WindowText, theme().text(tone));
  label.setPalette(tone == Tone::plain ? QPalette() : palette);
}
} // namespace

void setRole(QFrame& frame, const char* role) {
  frame.setProperty("role", role);
  frame.setFrameShape(QFrame::StyledPanel);
}

QLabel* label(const QString& text, const char* role, QWidget* parent) {
  auto* l = new QLabel(text, parent);
  setLabelRole(*l, role);
  l->setTextInteractionFlags(Qt::NoTextInteraction);
  return l;
}

void setTone(QLabel* label, Tone tone) {
  const QVariant before = label->property("tone");
  if (before.isValid() && Tone(before.toInt()) == tone) return;
  label->setProperty("tone", int(tone));
  ink(*label, tone);
  if (!before.isValid())
    QObject::connect(&theme(), &Theme::changed, label, [label] { ink(*label, Tone(label->property("tone").toInt())); });
}

QPushButton* button(const QString& text, const QString& tip, const char* role, QWidget* parent) {
  auto* b = new QPushButton(text, parent);
  if (*role != 0) b->setProperty("role", role);
  if (std::string_view(role) == "primary") {
    QFont font;
    font.setWeight(QFont::DemiBold);
    b->setFont(font);
  }
  b->setToolTip(tip);
  b->setAutoDefault(false);
  return b;
}

ElidedLabel::ElidedLabel(const QString& text, const char* role, QWidget* parent) : QLabel(parent) {
  setLabelRole(*this, role);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  setFullText(text);
}

void ElidedLabel::setFullText(const QString& text) {
  setText(text);
  setToolTip(text);
  setAccessibleName(text);
}

QSize ElidedLabel::minimumSizeHint() const { return {20, QLabel::minimumSizeHint().height()}; }

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const QRect room = contentsRect();
  painter.setPen(palette().color(foregroundRole()));
  painter.drawText(room, int(alignment()), fontMetrics().elidedText(text(), Qt::ElideRight, room.width()));
}

ElidedCheckBox::ElidedCheckBox(const QString& text, QWidget* parent) : QCheckBox(text, parent), full_(text) {
  setAccessibleName(text);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

QSize ElidedCheckBox::minimumSizeHint() const { return {60, QCheckBox::minimumSizeHint().height()}; }

void ElidedCheckBox::resizeEvent(QResizeEvent* event) {
  QCheckBox::resizeEvent(event);
  QStyleOptionButton option;
  initStyleOption(&option);
  const int room = style()->subElementRect(QStyle::SE_CheckBoxContents, &option, this).width();
  setText(fontMetrics().elidedText(full_, Qt::ElideRight, room));
}

Pane::Pane(const QString& title, QWidget* content, QWidget* parent)
    : QWidget(parent), title_(label(title, "section")), note_(new ElidedLabel({}, "muted")), header_(new QHBoxLayout) {
  auto* bar = new QWidget;
  bar->setFixedHeight(28);
  bar->setLayout(header_);
  header_->setContentsMargins(2, 0, 2, 0);
  header_->addWidget(title_);
  header_->addWidget(note_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(bar);
  layout->addWidget(content, 1);
}

void Pane::addCorner(QWidget* widget) { header_->addWidget(widget); }
void Pane::setTitle(const QString& title) { title_->setText(title); }
void Pane::setNote(const QString& note) { note_->setFullText(note); }

void Chips::setWords(const QStringList& words, const QStringList& tips) {
  qDeleteAll(chips_);
  chips_.clear();
  for (int i = 0; i < words.size(); ++i) {
    QLabel* chip = label(words[i], "chip", this);
    if (i < tips.size()) chip->setToolTip(tips[i]);
    chip->show();
    chips_.push_back(chip);
  }
  arrange(width(), true);
  updateGeometry();
}

QSize Chips::sizeHint() const { return {200, arrange(std::max(width(), 60), false)}; }
void Chips::resizeEvent(QResizeEvent* /*event*/) {
  arrange(width(), true);
  updateGeometry();
}

int Chips::arrange(int width, bool move) const {
  int x = 0, y = 0, line = 0;
  for (QLabel* chip : chips_) {
    const QSize size = chip->sizeHint();
    if (x > 0 && x + size.width() > width) {
      x = 0;
      y += line + chipGap;
      line = 0;
    }
    if (move) chip->setGeometry(x, y, size.width(), size.height());
    x += size.width() + chipGap;
    line = std::max(line, size.height());
  }
  return chips_.empty() ? 20 : y + line;
}

QSplitter* splitter(Qt::Orientation orientation, const std::vector<std::pair<QWidget*, int>>& parts) {
  auto* s = new QSplitter(orientation);
  s->setChildrenCollapsible(false);
  QList<int> sizes;
  for (int i = 0; i < int(parts.size()); ++i) {
    s->addWidget(parts[std::size_t(i)].first);
    s->setStretchFactor(i, parts[std::size_t(i)].second);
    sizes << parts[std::size_t(i)].second;
  }
  s->setSizes(sizes);
  return s;
}

} // namespace aicf::views
