// What the user has open, written to a file a moment after every change and read again at start: the view, the active
// entity, each view's own state, texts that were not saved, the ticked rules, the arrangement of docks, and the
// variants that arrived. A program that was killed loses at most that moment.
#pragma once
#include "views/frame/layouts.hpp"

#include <QTimer>

namespace aicf::views {

class Session : public QObject {
  Q_OBJECT
 public:
  Session(Workbench& workbench, Layouts& layouts, QObject* parent = nullptr);
  /// False: there is none, or it could not be read (said to the user). Operators wait for the library.
  bool restore();
  void save(); ///< now; an unwritable file is said once

 private:
  [[nodiscard]] QJsonObject gather() const;
  void restoreRules(const QJsonObject& rules);
  void restorePlace(const QJsonObject& session);
  void keepVariant(const nlohmann::json& body, const QString& op);
  void readVariants();
  Workbench& workbench_;
  Layouts& layouts_;
  QTimer rest_;
  QByteArray written_;
  bool restoring_ = false, complained_ = false;
};

} // namespace aicf::views
