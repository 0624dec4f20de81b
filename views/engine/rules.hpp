// The compiler profile that the user ticks together, with undo. Every setting goes by its path in profile_fields().
#pragma once
#include "core/profile/profile.hpp"

#include <QObject>
#include <QUndoStack>

namespace aicf::views {

class Rules : public QObject {
  Q_OBJECT
 public:
  explicit Rules(QObject* parent = nullptr) : QObject(parent) {}
  [[nodiscard]] const CompilerProfile& profile() const { return profile_; }
  [[nodiscard]] QUndoStack& undoStack() { return stack_; }
  [[nodiscard]] const QString& path() const { return path_; }

  /// One undoable step, named for the undo menu; changes of equal nonzero `merge` in a row are one step.
  void change(const QString& what, const CompilerProfile& after, int merge = -1);
  /// A tick as the ledger writes it: "path=value", "path+=id", "path-=id". False when it names no setting or value.
  bool apply(const QString& tick);
  /// Of a file: ends the history.
  void open(const CompilerProfile& profile, const QString& path);
  void exported(const QString& path);

 Q_SIGNALS:
  void changed();
  void filed(); ///< what the file at path() holds is what was last opened or exported

 private:
  friend class RulesStep;
  void set(const CompilerProfile& profile);
  CompilerProfile profile_;
  QString path_;
  QUndoStack stack_;
};

/// A tick in words: "allow arithmetic rescaled".
[[nodiscard]] QString describeTick(const QString& tick);

} // namespace aicf::views
