// What the window has to say or ask without stopping anybody: lines above the view, each with its buttons, until it is
// answered. One line an id; a newer text under the same id replaces the older.
#pragma once
#include <QFrame>
#include <QHash>
#include <QString>

#include <functional>
#include <vector>

class QVBoxLayout;

namespace aicf::views {

struct Notice {
  struct Choice {
    QString text, tip;
    std::function<void()> run; ///< empty: only dismisses
    bool primary = false, stays = false;
  };
  QString id, text;
  std::vector<Choice> choices; ///< a button each; a close button comes by itself
  std::function<void()> closed{};
};

class NoticeBar : public QWidget {
  Q_OBJECT
 public:
  explicit NoticeBar(QWidget* parent = nullptr);
  void add(const Notice& notice);
  void remove(const QString& id);
  [[nodiscard]] bool has(const QString& id) const { return rows_.contains(id); }

 private:
  QVBoxLayout* layout_;
  QHash<QString, QWidget*> rows_;
};

} // namespace aicf::views
