// The operators of the atlas and the user's own files, read and analysed off the window's thread.
#pragma once
#include "views/frame/latest.hpp"

#include <QObject>
#include <QStringList>

#include <vector>

namespace aicf::views {

struct OperatorEntry {
  QString name, summary, path, text;
  QStringList structures; ///< empty until analysed
  int passesDefinition = 0, passesBest = 0;
  bool analysed = false;
  QString problem; ///< why it could not be read, or empty
};

class Library : public QObject {
  Q_OBJECT
 public:
  explicit Library(QObject* parent = nullptr);
  ~Library() override;
  /// Reads the atlas and `own` files again; loaded() follows, then entryChanged() for each as it is analysed.
  void load(const QStringList& own);
  [[nodiscard]] const std::vector<OperatorEntry>& entries() const { return entries_; }
  [[nodiscard]] const OperatorEntry* find(const QString& name) const;
  [[nodiscard]] bool isLoaded() const { return loaded_; }
  [[nodiscard]] bool isAnalysed() const { return pending_ == 0; }
  [[nodiscard]] QString folder() const;

 Q_SIGNALS:
  void loaded();
  void entryChanged(int index);

 private:
  void analyseNext();
  std::vector<OperatorEntry> entries_;
  bool loaded_ = false;
  std::size_t pending_ = 0, next_ = 0;
  Latest<std::vector<OperatorEntry>> reading_;
  Latest<OperatorEntry> analysing_;
};

/// The first line of the comment above the operator.
[[nodiscard]] QString summaryOf(const QString& text);

} // namespace aicf::views
