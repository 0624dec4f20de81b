// The evidence behind claims: verdict, method, trials, error bound; the derivation one step at a time; the witness.
#pragma once
#include "core/base/certificate.hpp"
#include "views/widgets/panes.hpp"
#include "views/widgets/table.hpp"

class QPlainTextEdit;

namespace aicf::views {

[[nodiscard]] RecordModel<Certificate>* makeCertificatesModel(QObject* parent);

class CertificatePane : public QWidget {
  Q_OBJECT
 public:
  CertificatePane();
  void setCertificates(const std::vector<Certificate>& certificates);
  void select(const QString& id);
  [[nodiscard]] int step() const { return step_; }
  void showStep(int step); ///< the nearest that there is

 private:
  void show();
  RecordModel<Certificate>* model_;
  Table* table_;
  ElidedLabel *method_, *rule_;
  QPlainTextEdit *before_, *after_;
  QPushButton *back_, *next_;
  QLabel* beforeTitle_;
  QLabel* afterTitle_;
  int step_ = 0;
};

} // namespace aicf::views
