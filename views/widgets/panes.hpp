// The small things that every view is built of, so that they look alike.
#pragma once
#include "views/frame/theme.hpp"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QWidget>

class QBoxLayout;
class QSplitter;

namespace aicf::views {

/// role: "title" "heading" "section" "muted" "count" "mono" "chip" "explain", or empty.
[[nodiscard]] QLabel* label(const QString& text, const char* role = "", QWidget* parent = nullptr);
void setTone(QLabel* label, Tone tone);
/// A frame that the style fills by its role: "card" "notice" "rail" "locator" (views/frame/style.hpp).
void setRole(QFrame& frame, const char* role);
[[nodiscard]] QPushButton* button(const QString& text, const QString& tip, const char* role = "",
                                  QWidget* parent = nullptr);

/// One line that ends in "…" where it does not fit, whole in its tool tip.
class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(const QString& text = {}, const char* role = "", QWidget* parent = nullptr);
  void setFullText(const QString& text);
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

/// A check box whose text ends in "…" where it does not fit.
class ElidedCheckBox : public QCheckBox {
  Q_OBJECT
 public:
  explicit ElidedCheckBox(const QString& text, QWidget* parent = nullptr);
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QString full_;
};

/// A heading line with room for buttons on the right, above a widget.
class Pane : public QWidget {
  Q_OBJECT
 public:
  Pane(const QString& title, QWidget* content, QWidget* parent = nullptr);
  void addCorner(QWidget* widget);
  void setTitle(const QString& title);
  void setNote(const QString& note); ///< muted, after the title

 private:
  QLabel* title_;
  ElidedLabel* note_;
  QBoxLayout* header_;
};

/// Chips in a row that wraps; words with tool tips.
class Chips : public QWidget {
  Q_OBJECT
 public:
  using QWidget::QWidget;
  void setWords(const QStringList& words, const QStringList& tips = {});
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }
  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override { return arrange(width, false); }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  int arrange(int width, bool move) const;
  std::vector<QLabel*> chips_;
};

[[nodiscard]] QSplitter* splitter(Qt::Orientation orientation, const std::vector<std::pair<QWidget*, int>>& parts);

} // namespace aicf::views
