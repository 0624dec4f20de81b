// Variants as the worker sends them (synth/synthesis.hpp, to_json), kept for the session across jobs.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <QMap>
#include <QObject>
#include <QString>

#include <optional>
#include <vector>

namespace aicf::views {

struct CheckRow {
  QString id, detail;
  bool passed = false;
};
struct FaultRow {
  QString kind, kernel, message, place;
};
struct MetricRow {
  QString id, unit, source, method;
  std::optional<double> value; ///< absent: not measured
};

struct VariantRow {
  QString id, status, op, target, family;
  int job = 0;
  QMap<QString, QString> choices;
  std::optional<int> registers, shared, spills;
  bool passed = false;
  double relErr = 0, maxUlp = 0, bound = 0, worstRatio = 0;
  std::vector<CheckRow> checks;
  std::vector<FaultRow> faults;
  std::vector<MetricRow> metrics; ///< counters, then times
  QString source, diagnostics;
  QString label; ///< the choices in which it differs from the others of its operator
  [[nodiscard]] const MetricRow* metric(const QString& id) const;
};

/// Fields that are absent or of another type stay at their defaults.
[[nodiscard]] VariantRow variantFrom(const nlohmann::json& body);

class Variants : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  /// A variant that is known already is replaced.
  void add(VariantRow variant);
  [[nodiscard]] const std::vector<VariantRow>& all() const { return rows_; }
  [[nodiscard]] const VariantRow* find(const QString& id) const;

 Q_SIGNALS:
  void changed();

 private:
  void labelAll(const QString& op);
  std::vector<VariantRow> rows_;
};

} // namespace aicf::views
