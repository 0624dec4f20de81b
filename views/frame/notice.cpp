#include "views/frame/notice.hpp"

#include "views/frame/icons.hpp"
#include "views/widgets/panes.hpp"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace aicf::views {

NoticeBar::NoticeBar(QWidget* parent) : QWidget(parent), layout_(new QVBoxLayout(this)) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
}

void NoticeBar::add(const Notice& notice) {
  remove(notice.id);
  auto* row = new QFrame;
  setRole(*row, "notice");
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(12, 5, 8, 5);
  line->setSpacing(8);
  auto* text = label(notice.text);
  text->setWordWrap(true);
  text->setAccessibleName(notice.text);
  line->addWidget(text, 1);
  for (const Notice::Choice& choice : notice.choices) {
    auto* b = button(choice.text, choice.tip, choice.primary ? "primary" : "");
    line->addWidget(b);
    connect(b, &QPushButton::clicked, this, [this, id = notice.id, choice] {
      if (!choice.stays) remove(id);
      if (choice.run) choice.run();
    });
  }
  auto* close = new QToolButton;
  close->setIcon(icon("close"));
  close->setToolTip(tr("Close this line"));
  close->setAccessibleName(tr("Close this line"));
  connect(close, &QToolButton::clicked, this, [this, id = notice.id, closed = notice.closed] {
    remove(id);
    if (closed) closed();
  });
  line->addWidget(close);
  rows_.insert(notice.id, row);
  layout_->addWidget(row);
  row->show(); // now, not when the layout comes round
}

void NoticeBar::remove(const QString& id) {
  QWidget* row = rows_.take(id);
  if (!row) return;
  row->hide();
  row->deleteLater();
}

} // namespace aicf::views
