// Docks and how they stand: any view beside the one in the middle, panes at the edges, arrangements under names.
#pragma once
#include "views/frame/workbench.hpp"

#include <QHash>
#include <QMainWindow>

class QDockWidget;
class QStackedWidget;

namespace aicf::views {

class Layouts : public QObject {
  Q_OBJECT
 public:
  Layouts(QMainWindow& window, QStackedWidget& stack, Workbench& workbench);
  /// A pane at an edge, hidden to begin with.
  QDockWidget* addPane(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area);

  [[nodiscard]] QWidget* pageOf(View* view); ///< made when first asked for
  /// Shows the view: its dock comes to the front, or its page in the middle.
  void show(View* view);
  /// In a dock of its own on the right, or back in the middle.
  void setBeside(View* view, bool beside);
  [[nodiscard]] bool isBeside(View* view) const { return docks_.contains(view->id()); }

  void reset();
  /// Built in ("One view", "Operator and rules", "Kernels and jobs") and the user's own.
  [[nodiscard]] QStringList names() const;
  void apply(const QString& name);
  void save(const QString& name);
  void remove(const QString& name); ///< one of the user's own
  [[nodiscard]] QJsonObject state() const;
  void restore(const QJsonObject& state);

 Q_SIGNALS:
  void changed();

 private:
  struct Pane {
    QDockWidget* dock;
    Qt::DockWidgetArea area;
  };
  void showInMiddle();
  QMainWindow& window_;
  QStackedWidget& stack_;
  Workbench& workbench_;
  QHash<View*, QWidget*> pages_;
  QHash<QString, QDockWidget*> docks_; ///< of views beside, by view
  QHash<QString, Pane> panes_;
  View* middle_ = nullptr; ///< last shown in the middle
};

} // namespace aicf::views
