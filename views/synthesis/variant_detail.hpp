// One variant: its source, what it passed and by how much, its plan, its counters.
#pragma once
#include "views/editors/code_editor.hpp"
#include "views/engine/variants.hpp"
#include "views/widgets/table.hpp"

#include <QTabWidget>

class QPlainTextEdit;

namespace aicf::views {

struct ChoiceRow {
  QString param, value, meaning;
};
[[nodiscard]] RecordModel<CheckRow>* makeChecksModel(QObject* parent);
[[nodiscard]] RecordModel<MetricRow>* makeMetricsModel(QObject* parent);
[[nodiscard]] RecordModel<ChoiceRow>* makeChoicesModel(QObject* parent);
[[nodiscard]] RecordModel<FaultRow>* makeFaultsModel(QObject* parent);
[[nodiscard]] std::vector<ChoiceRow> choiceRows(const VariantRow& variant);

class VariantDetail : public QTabWidget {
  Q_OBJECT
 public:
  VariantDetail();
  void setVariant(const VariantRow* variant); ///< nullptr: none
  [[nodiscard]] CodeEditor& source() { return *source_; }

 private:
  CodeEditor* source_;
  RecordModel<CheckRow>* checks_;
  RecordModel<MetricRow>* metrics_;
  RecordModel<ChoiceRow>* choices_;
  RecordModel<FaultRow>* faults_;
  Table *checksTable_, *faultsTable_;
  QString shown_;
};

} // namespace aicf::views
